/**
 * A caller and a worker that know the protocol from its description alone: they share no code with src/, so that a
 * mistake made there cannot agree with itself here.
 */
import { randomBytes } from 'node:crypto';
import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { waitFor } from './wait.ts';

type Json = Record<string, unknown>;

/** One message as it arrived on the inbox. */
export interface WireMessage {
  /** Parsed body; absent when it is empty. */
  readonly json: Json | undefined;
  readonly raw: Uint8Array;
  /** What follows the namespace in its protocol id. */
  readonly kind: string;
  readonly final: boolean;
  /** Set when the request was refused with error headers. */
  readonly refusal: { code: string; description: string } | undefined;
  /** Whether the server said that nobody listens. */
  readonly nobody: boolean;
  /** Since the request was sent, in milliseconds. */
  readonly afterMs: number;
}

const NAMESPACE = 'io.choria.fisk-ai.v1';

/** A header as a request carries it; `over` replaces or adds, undefined removes. */
export function wireHeader(suffix: string, agent: string, over: Json = {}): Json {
  const request = `r${randomBytes(9).toString('hex')}`;
  const message: Json = {
    protocol: `${NAMESPACE}.${suffix}`,
    id: `m${randomBytes(9).toString('hex')}`,
    request,
    conversation: request,
    sequence: 0,
    time: new Date().toISOString(),
    sender: { name: 'wire-caller' },
    recipient: { name: agent },
    ...over,
  };
  for (const [key, value] of Object.entries(message)) if (value === undefined) delete message[key];
  return message;
}

export class WireCaller {
  readonly nc: NatsConnection;

  private constructor(nc: NatsConnection) {
    this.nc = nc;
  }

  static async connect(url: string, options: { user?: string; pass?: string } = {}): Promise<WireCaller> {
    return new WireCaller(await connect({ servers: url, ...options }));
  }

  close(): Promise<void> {
    return this.nc.close();
  }

  /** Sends any bytes anywhere and gathers what comes back, until the end of the set or `timeoutMs`. */
  async send(subject: string, body: Uint8Array | string, timeoutMs = 15_000): Promise<WireMessage[]> {
    const conversation = this.open(subject, body);
    try {
      await waitFor(() => conversation.ended(), { timeout: timeoutMs, what: `the end of the answers from ${subject}` });
      return conversation.messages;
    } finally {
      conversation.close();
    }
  }

  /** As {@link send}, without waiting. The messages appear as they arrive. */
  open(subject: string, body: Uint8Array | string): { messages: WireMessage[]; ended(): boolean; close(): void } {
    const inbox = createInbox();
    const messages: WireMessage[] = [];
    const started = performance.now();
    const callback = (_: Error | null, msg: Msg): void => {
      messages.push(readMessage(msg, performance.now() - started));
    };
    const subscription = this.nc.subscribe(inbox, { callback });
    this.nc.publish(subject, body, { reply: inbox });
    const ended = () =>
      messages.some((m) => m.final || m.nobody || m.refusal !== undefined || m.kind === 'discovery.reply');
    return { messages, ended, close: () => subscription.unsubscribe() };
  }

  async card(agent: string): Promise<WireMessage> {
    const body = JSON.stringify(wireHeader('discovery.request', agent));
    const [first] = await this.send(`choria.fisk-ai.discovery.${agent}`, body);
    if (first === undefined) throw new Error('no card');
    return first;
  }

  /** Calls a tool. `input` may be JSON text, sent as it is, or a value. */
  call(agent: string, tool: string, input?: unknown, over: Json = {}, timeoutMs?: number): Promise<WireMessage[]> {
    return this.send(`choria.fisk-ai.tool.${agent}`, wireCall(agent, tool, input, over), timeoutMs);
  }
}

/** The body of a tool request. */
export function wireCall(agent: string, tool: string, input?: unknown, over: Json = {}): string {
  const head = JSON.stringify(wireHeader('tool.request', agent, { name: tool, ...over }));
  if (input === undefined) return head;
  return `${head.slice(0, -1)},"input":${typeof input === 'string' ? input : JSON.stringify(input)}}`;
}

function readMessage(msg: Msg, afterMs: number): WireMessage {
  const json = msg.data.length === 0 ? undefined : (JSON.parse(Buffer.from(msg.data).toString()) as Json);
  const code = msg.headers?.get('Nats-Service-Error-Code') ?? '';
  const protocol = String(json?.['protocol'] ?? '');
  return {
    json,
    raw: msg.data,
    kind: protocol.startsWith(`${NAMESPACE}.`) ? protocol.slice(NAMESPACE.length + 1) : protocol,
    final: (msg.headers?.get('Fisk-AI-Stream-Final') ?? '') !== '',
    refusal: code === '' ? undefined : { code, description: msg.headers?.get('Nats-Service-Error') ?? '' },
    nobody: msg.data.length === 0 && msg.headers?.code === 503,
    afterMs,
  };
}

/** What a scripted worker may do with one request. */
export interface WireTurn {
  readonly request: Json;
  /** Sends one message of the answer; the number is counted from 1 unless `over` has its own. */
  say(suffix: string, fields?: Json, over?: { final?: boolean; header?: Json }): void;
  raw(body: string, headerLines?: Record<string, string>): void;
  refuse(code: string, description: string): void;
}

/** A worker that answers a subject as the script says; the script may take its time. */
export function wireWorker(
  nc: NatsConnection,
  subject: string,
  agent: string,
  script: (turn: WireTurn) => void | Promise<void>,
): { requests: Json[]; stop(): void } {
  const requests: Json[] = [];
  const subscription = nc.subscribe(subject, {
    queue: agent,
    callback: (_, msg) => {
      const request = JSON.parse(Buffer.from(msg.data).toString()) as Json;
      requests.push(request);
      let sequence = 0;
      const raw = (body: string, lines: Record<string, string> = {}) => {
        const hdrs = headers();
        for (const [name, value] of Object.entries(lines)) hdrs.set(name, value);
        msg.respond(body, Object.keys(lines).length === 0 ? {} : { headers: hdrs });
      };
      void script({
        request,
        raw,
        say: (suffix, fields = {}, over = {}) => {
          sequence++;
          const header = wireHeader(suffix, agent, {
            request: request['request'],
            conversation: request['conversation'],
            sequence: suffix === 'discovery.reply' ? 0 : sequence,
            sender: { name: agent },
            recipient: { name: 'wire-caller' },
            ...fields,
            ...over.header,
          });
          raw(JSON.stringify(header), over.final ? { 'Fisk-AI-Stream-Final': 'true' } : {});
        },
        refuse: (code, description) => raw('', { 'Nats-Service-Error-Code': code, 'Nats-Service-Error': description }),
      });
    },
  });
  return { requests, stop: () => subscription.unsubscribe() };
}
