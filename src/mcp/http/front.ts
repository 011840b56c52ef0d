import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import { type Logger, logText } from '../../observe/index.ts';
import type { McpClient, McpServerFactory } from '../contract.ts';
import { type Answer, idOf, refusal, sendAnswer } from './answer.ts';
import { readJson } from './body.ts';
import { Connections, type Exchange } from './exchange.ts';
import { type GateOptions, gate } from './gate.ts';
import type { HttpLimits } from './limits.ts';
import { acceptsTooLittle, webRequest } from './request.ts';
import { asksForSession, Sessions } from './sessions.ts';
import { sendResponse } from './stream.ts';

type Caller = Omit<McpClient, 'session'>;

export interface FrontOptions {
  readonly createServer: McpServerFactory;
  readonly gate: GateOptions;
  readonly limits: HttpLimits;
  readonly log: Logger;
  readonly now: () => number;
}

/** Brings each HTTP request to the revision of the protocol that it speaks, and its answer back. */
export class Front {
  readonly sessions: Sessions;
  readonly #modern: McpHttpHandler;
  readonly #callers = new WeakMap<Request, Caller>();
  readonly #connections: Connections;
  readonly #options: FrontOptions;
  /** Those whose answers of the protocol are on their way. */
  readonly #answering = new Set<Exchange>();
  #leaving = false;
  #saidFull = false;

  constructor(options: FrontOptions) {
    const { createServer, limits, log, now } = options;
    this.#options = options;
    this.#connections = new Connections(limits.pipelined);
    this.sessions = new Sessions({ createServer, limits, now });
    this.#modern = createMcpHandler(
      ({ requestInfo }) => createServer((requestInfo && this.#callers.get(requestInfo)) ?? { connection: '' }),
      {
        legacy: 'reject',
        // A stream from the start: what takes long shows signs of life, and answers look the same in every revision.
        responseMode: 'sse',
        keepAliveMs: limits.keepAlive,
        maxSubscriptions: limits.sessions,
        onerror: (error) => log.debug({ error: logText(error.message) }, 'a request was refused by the protocol'),
      },
    );
  }

  /** Answers one request. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = this.#connections.exchange(request, response);
    if (exchange === undefined) return;
    try {
      const answer = this.#leaving ? leaving() : gate(request, response, this.#options.gate);
      const refused = answer ?? (await this.#serve(exchange));
      if (refused !== undefined) sendAnswer(request, response, refused);
    } catch (error) {
      const text = logText(String(error));
      this.#options.log.error({ error: text }, 'an MCP request could not be answered');
      if (response.headersSent) response.destroy();
      else sendAnswer(request, response, refusal(500, 'internal error', { code: -32_603 }));
    }
  }

  /** From now on every new request is told that the server leaves. */
  leave(): void {
    this.#leaving = true;
  }

  /** Resolves when every request that is being answered now has its answer; a stream that only listens waits for none. */
  async answered(): Promise<void> {
    await Promise.all([...this.#answering].filter(({ request }) => request.method === 'POST').map(isOver));
  }

  /** Ends every session, call and stream, and resolves when what they still had to say is written. */
  async close(): Promise<void> {
    await Promise.all([this.#modern.close(), this.sessions.close()]);
    await Promise.all([...this.#answering].map(isOver));
  }

  async #serve(exchange: Exchange): Promise<Answer | undefined> {
    const { request } = exchange;
    let body: unknown;
    if (request.method === 'POST') {
      const { headers } = request;
      const most = this.#options.limits.body;
      if (!isJsonContentType(headers['content-type'] ?? null)) return refusal(415, 'the body must be application/json');
      if (acceptsTooLittle(headers.accept)) return refusal(406, 'accept both application/json and text/event-stream');
      const read = await readJson(request, most);
      if (read === 'gone') return undefined;
      if ('refused' in read) return unreadable(read.refused, most);
      body = read.value;
    }
    const incoming = webRequest(request, exchange.over);
    if (await isLegacyRequest(incoming, body)) return this.#serveSession(exchange, incoming, body);
    this.#callers.set(incoming, this.#callerOf(exchange));
    await this.#send(exchange, await this.#modern.fetch(incoming, { parsedBody: body }));
    return undefined;
  }

  async #serveSession(exchange: Exchange, incoming: Request, body: unknown): Promise<Answer | undefined> {
    const name = exchange.request.headers['mcp-session-id'];
    const id = idOf(body);
    if (name === undefined) {
      if (!asksForSession(body)) return refusal(400, 'an Mcp-Session-Id header is needed', { id });
      const session = await this.sessions.open(this.#callerOf(exchange));
      if (session === undefined) return this.#full(id);
      this.#saidFull = false;
      const answer = await session.handle(incoming, body);
      if (!answer.ok) await session.close();
      await this.#send(exchange, answer, session.streaming());
      return undefined;
    }
    const session = this.sessions.find(String(name));
    if (session === undefined) return refusal(404, 'there is no such session', { code: -32_001, id });
    await this.#send(exchange, await session.handle(incoming, body), session.streaming());
    return undefined;
  }

  /** Said once, until there is a place again: whoever asks without end fills no log. */
  #full(id: unknown): Answer {
    if (!this.#saidFull) {
      this.#options.log.warn({ sessions: this.sessions.size }, 'MCP clients are refused: every session is taken');
      this.#saidFull = true;
    }
    return refusal(503, 'every session is taken; try again later', { id, headers: { 'Retry-After': '60' } });
  }

  async #send(exchange: Exchange, answer: Response, done: () => void = () => {}): Promise<void> {
    const { over } = exchange;
    if (!over.aborted) {
      this.#answering.add(exchange);
      over.addEventListener('abort', () => this.#answering.delete(exchange));
    }
    try {
      await sendResponse(answer, exchange, this.#options.limits, () =>
        this.#options.log.warn('an MCP client that does not read was dropped'),
      );
    } finally {
      done();
    }
  }

  #callerOf({ connection }: Exchange): Caller {
    return this.#options.gate.carriesToken === undefined ? { connection } : { connection, tokenHolder: 'bearer' };
  }
}

function isOver({ over }: Exchange): Promise<unknown> {
  return new Promise((resolve) => over.addEventListener('abort', resolve));
}

function leaving(): Answer {
  return refusal(503, 'the server is leaving', { headers: { Connection: 'close' } });
}

function unreadable(status: 400 | 413, most: number): Answer {
  return status === 413
    ? refusal(413, `the body is over ${most} bytes`)
    : refusal(400, 'the body is not JSON', { code: -32_700 });
}
