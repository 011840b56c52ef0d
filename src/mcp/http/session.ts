import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { idOf, refusal } from './answer.ts';

type Message = Parameters<WebStandardStreamableHTTPServerTransport['send']>[0];
type SendOptions = Parameters<WebStandardStreamableHTTPServerTransport['send']>[1];
type RequestId = string | number;

/**
 * The transport of one session, which knows what is still unanswered. The package answers no request that its client cancelled
 * and leaves its stream open for good; here it ends with an answer that says so.
 */
class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly unanswered = new Map<RequestId, string>();
  answered: () => void = () => {};

  override async send(message: Message, options?: SendOptions): Promise<void> {
    if ('method' in message) {
      const about = options?.relatedRequestId;
      const late = about !== undefined && !this.unanswered.has(about);
      // The package throws for what has no stream any more, which a question should learn and a notification need not.
      return late && !('id' in message) ? undefined : super.send(message, options);
    }
    if (message.id === undefined || !this.unanswered.delete(message.id)) return;
    try {
      await super.send(message, options);
    } finally {
      this.answered();
    }
  }

  /** Answers a request that its client gave up. */
  async cancelled(id: RequestId): Promise<void> {
    const method = this.unanswered.get(id);
    if (method === undefined) return;
    const text = 'The call was cancelled by its client.';
    await this.send(
      method === 'tools/call'
        ? { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: true } }
        : { jsonrpc: '2.0', id, error: { code: -32_000, message: 'the request was cancelled by its client' } },
    );
  }
}

export interface SessionOptions {
  readonly id: string;
  /** Milliseconds between comments on an open stream. */
  readonly keepAlive: number;
  /** Unanswered requests at a time. */
  readonly requests: number;
  readonly now: () => number;
  readonly closed: () => void;
}

/** One client of an older revision, from its `initialize` to its DELETE or its long silence. */
export class Session {
  readonly id: string;
  readonly #transport: SessionTransport;
  readonly #options: SessionOptions;
  #streams = 0;
  #lastUse: number;

  constructor(options: SessionOptions) {
    this.id = options.id;
    this.#options = options;
    this.#lastUse = options.now();
    this.#transport = new SessionTransport({ sessionIdGenerator: () => options.id, keepAliveMs: options.keepAlive });
    this.#transport.answered = () => this.#used();
    this.#transport.onclose = options.closed;
  }

  /** Connects the server that will answer this client. */
  connect(server: Server): Promise<void> {
    return server.connect(this.#transport);
  }

  /** How long ago it was last used, in ms; 0 while anything is unanswered or any stream is open. */
  get idle(): number {
    const busy = this.#streams > 0 || this.#transport.unanswered.size > 0;
    return busy ? 0 : this.#options.now() - this.#lastUse;
  }

  /** Answers one HTTP request, whose body was read already. */
  async handle(request: Request, body: unknown): Promise<Response> {
    this.#used();
    const { unanswered } = this.#transport;
    const requests = requestsIn(body);
    const problem = this.#problemOf(requests);
    if (problem !== undefined) return problem;
    for (const { id, method } of requests) unanswered.set(id, method);
    const response = await this.#transport.handleRequest(request, { parsedBody: body });
    const refused = response.headers.get('content-type') !== 'text/event-stream';
    if (refused) for (const { id } of requests) unanswered.delete(id);
    for (const id of cancelledIn(body)) await this.#transport.cancelled(id);
    return response;
  }

  /** Keeps the session alive until the returned function is called. */
  streaming(): () => void {
    this.#streams++;
    return () => {
      this.#streams--;
      this.#used();
    };
  }

  /** Ends its calls and closes its streams. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  #problemOf(requests: readonly RequestFacts[]): Response | undefined {
    const { unanswered } = this.#transport;
    const id = requests.length === 1 ? idOf(requests[0]) : null;
    const ids = new Set(requests.map((entry) => entry.id));
    // A second request of the same id would take the answer of the first and leave one of them without any.
    if (ids.size < requests.length || requests.some((entry) => unanswered.has(entry.id))) {
      return webRefusal(400, 'another request of this id is not answered yet', -32_600, id);
    }
    if (unanswered.size + requests.length > this.#options.requests) {
      return webRefusal(
        429,
        `over ${this.#options.requests} requests of this session are not answered yet`,
        -32_000,
        id,
      );
    }
    return undefined;
  }

  #used(): void {
    this.#lastUse = this.#options.now();
  }
}

function webRefusal(status: number, message: string, code: number, id: unknown): Response {
  return Response.json(refusal(status, message, { code, id }).body, { status });
}

interface RequestFacts {
  readonly id: RequestId;
  readonly method: string;
}

function messagesIn(body: unknown): readonly Partial<Record<'id' | 'method' | 'params', unknown>>[] {
  return (Array.isArray(body) ? body : [body]).filter((entry) => typeof entry === 'object' && entry !== null);
}

function requestsIn(body: unknown): readonly RequestFacts[] {
  return messagesIn(body).flatMap(({ id, method }) => (typeof method === 'string' && isId(id) ? [{ id, method }] : []));
}

function cancelledIn(body: unknown): readonly RequestId[] {
  return messagesIn(body).flatMap(({ id, method, params }) => {
    if (id !== undefined || method !== 'notifications/cancelled') return [];
    const { requestId } = (params ?? {}) as { requestId?: unknown };
    return isId(requestId) ? [requestId] : [];
  });
}

function isId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number';
}
