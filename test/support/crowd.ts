/** A connection that makes any number of calls at a time, and keeps for each of them all that came back. */
import { createInbox, type Msg, type NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { waitFor } from './wait.ts';
import { wireCall } from './wire-caller.ts';

export interface CrowdCall {
  readonly tool: string;
  /** `performance.now()` at the request. */
  readonly sentAt: number;
  /** When the acknowledgement came, and whether it was a yes. */
  ack: { readonly at: number; readonly accepted: boolean } | undefined;
  /** Each final reply that came: a correct service sends one. */
  readonly finals: CrowdFinal[];
  /** The request was refused unseen, with this status. */
  refusal: string | undefined;
  /** The server had nobody to hand the request to. */
  nobody: boolean;
  /** Messages that came after the end, or whose number does not follow the last one's. */
  misplaced: number;
  /** Number of the last message. */
  sequence: number;
}

/** A span of time in `performance.now()`. */
export interface Away {
  readonly from: number;
  to: number;
}

export interface CrowdFinal {
  readonly at: number;
  /** `ok` where it has none. */
  readonly code: string;
  readonly output: string;
}

/** Whether anything came that ends a call. */
export function hasEnded(call: CrowdCall): boolean {
  return call.finals.length > 0 || call.nobody || call.refusal !== undefined;
}

/** How often each kind of end came; `none` counts calls without one. */
export function endsOf(calls: readonly CrowdCall[]): Map<string, number> {
  const ends = new Map<string, number>();
  for (const { finals, nobody, refusal } of calls) {
    const end = finals[0]?.code ?? refusal ?? (nobody ? 'nobody' : 'none');
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  return ends;
}

/** Calls that got more than one end, or something after it. */
export function doubled(calls: readonly CrowdCall[]): CrowdCall[] {
  return calls.filter(
    ({ finals, nobody, refusal, misplaced }) =>
      finals.length + Number(nobody) + Number(refusal !== undefined) > 1 || misplaced > 0,
  );
}

export class Crowd {
  readonly nc: NatsConnection;
  readonly calls: CrowdCall[] = [];
  /** When the connection was not there, in `performance.now()`; the last one may still go on. */
  readonly away: Away[] = [];
  readonly #agent: string;
  readonly #inbox = createInbox();
  readonly #waiting = new Map<CrowdCall, () => void>();

  private constructor(nc: NatsConnection, agent: string) {
    this.nc = nc;
    this.#agent = agent;
    nc.subscribe(`${this.#inbox}.*`, { callback: (_, msg) => this.#hear(msg) });
    void this.#follow();
  }

  /** Callers of `agent`. The connection comes back as often as it is lost. */
  static async connect(url: string, agent: string, options: { user?: string; pass?: string } = {}): Promise<Crowd> {
    const settings = { maxReconnectAttempts: -1, reconnectTimeWait: 250, reconnectJitter: 50 };
    return new Crowd(await connect({ servers: url, ...settings, ...options }), agent);
  }

  /** Sends one call. What comes back appears in the record that it returns. */
  start(tool: string, input?: unknown): CrowdCall {
    const call: CrowdCall = {
      tool,
      sentAt: performance.now(),
      ack: undefined,
      finals: [],
      refusal: undefined,
      nobody: false,
      misplaced: 0,
      sequence: 0,
    };
    this.calls.push(call);
    this.nc.publish(`choria.fisk-ai.tool.${this.#agent}`, wireCall(this.#agent, tool, input), {
      reply: `${this.#inbox}.${this.calls.length - 1}`,
    });
    return call;
  }

  /** Resolves when the call has ended, or after `patienceMs` without an end; whatever comes later is recorded all the same. */
  async ended(call: CrowdCall, patienceMs: number): Promise<void> {
    if (hasEnded(call)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs);
    this.#waiting.set(call, resolve);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(call);
  }

  /** Waits until every call has ended. */
  async allEnded(timeout: number): Promise<void> {
    await waitFor(() => this.calls.every(hasEnded), {
      timeout,
      what: () => `every call to end: ${JSON.stringify([...endsOf(this.calls)])}`,
    });
  }

  /** Keeps `inFlight` calls going until `until`, an end of each at most `patienceMs` after its request. */
  async keepCalling(inFlight: number, until: number, patienceMs: number, next: () => CrowdCall): Promise<void> {
    const caller = async (): Promise<void> => {
      while (performance.now() < until) await this.ended(next(), patienceMs);
    };
    await Promise.all(Array.from({ length: inFlight }, caller));
  }

  close(): Promise<void> {
    return this.nc.close();
  }

  async #follow(): Promise<void> {
    for await (const { type } of this.nc.status()) {
      const last = this.away.at(-1);
      const now = performance.now();
      if (type === 'disconnect') this.away.push({ from: now, to: Number.POSITIVE_INFINITY });
      else if (type === 'reconnect' && last !== undefined) last.to = now;
    }
  }

  #hear(msg: Msg): void {
    const call = this.calls[Number(msg.subject.slice(this.#inbox.length + 1))];
    if (call === undefined) return;
    if (hasEnded(call)) call.misplaced++;
    const refusal = msg.headers?.get('Nats-Service-Error-Code') ?? '';
    if (msg.data.length === 0 && msg.headers?.code === 503) call.nobody = true;
    else if (refusal !== '') call.refusal = refusal;
    else this.#read(call, msg);
    if (hasEnded(call)) this.#waiting.get(call)?.();
  }

  #read(call: CrowdCall, msg: Msg): void {
    const at = performance.now();
    const body = msg.json<{
      sequence: number;
      accepted?: boolean;
      is_error?: boolean;
      code?: string;
      output?: string;
    }>();
    if (body.sequence <= call.sequence) call.misplaced++;
    call.sequence = body.sequence;
    if ((msg.headers?.get('Fisk-AI-Stream-Final') ?? '') !== '') {
      const code = body.code ?? (body.is_error ? 'error' : 'ok');
      call.finals.push({ at, code, output: body.output ?? '' });
    } else if (body.accepted !== undefined) call.ack = { at, accepted: body.accepted };
  }
}
