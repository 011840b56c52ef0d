import { createHash, randomBytes } from 'node:crypto';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { McpClient, McpServerFactory } from '../contract.ts';
import type { HttpLimits } from './limits.ts';
import { Session } from './session.ts';

export interface SessionsOptions {
  readonly createServer: McpServerFactory;
  readonly limits: HttpLimits;
  readonly now: () => number;
}

/** The clients of the older revisions, never more than the bound, none longer than it is of use. */
export class Sessions {
  readonly #open = new Map<string, Session>();
  readonly #options: SessionsOptions;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(60_000, options.limits.sessionIdle)).unref();
  }

  get size(): number {
    return this.#open.size;
  }

  /** The session of that id, unless it has been silent for too long. */
  find(id: string): Session | undefined {
    const session = this.#open.get(id);
    if (session === undefined || session.idle < this.#options.limits.sessionIdle) return session;
    void session.close();
    return undefined;
  }

  /** Opens a session; nothing when there is no place for one more. */
  async open(client: Omit<McpClient, 'session'>): Promise<Session | undefined> {
    const { createServer, limits, now } = this.#options;
    if (!this.#makeRoom()) return undefined;
    const id = randomBytes(24).toString('base64url');
    // The id lets whoever knows it speak for the client, so everything else, the log among it, gets a name made of it.
    const name = createHash('sha256').update(id).digest('base64url').slice(0, 16);
    const server = createServer({ ...client, session: name });
    const session = new Session({
      id,
      keepAlive: limits.keepAlive,
      requests: limits.sessionRequests,
      now,
      closed: () => this.#open.delete(id),
    });
    this.#open.set(id, session);
    await session.connect(server);
    return session;
  }

  /** Ends all of them, with their calls and streams. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#open.values()].map((session) => session.close()));
  }

  /**
   * Many clients leave without a word, and would otherwise keep the next one out for as long as an idle session may live. One
   * that was used lately stays: whoever opens sessions without end shuts itself out, not those who work.
   */
  #makeRoom(): boolean {
    const { limits } = this.#options;
    if (this.#open.size < limits.sessions) return true;
    const [idlest] = [...this.#open.values()].sort((one, other) => other.idle - one.idle);
    if (idlest === undefined || idlest.idle < limits.sessionSpare) return false;
    void idlest.close();
    return true;
  }

  #endIdle(): void {
    for (const id of this.#open.keys()) this.find(id);
  }
}

/** Whether a body asks for a session. */
export function asksForSession(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some((message) => isInitializeRequest(message));
}
