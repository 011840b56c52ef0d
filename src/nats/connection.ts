import { createInbox, errors, type NatsConnection, type Status } from '@nats-io/nats-core';
import type { NatsContext } from '../config/index.ts';
import { ConnectFailedError, ConnectionLostError } from '../errors.ts';
import { type Logger, StormLog } from '../observe/index.ts';
import { HEADER_ROOM, MAX_BODY_BYTES } from '../protocol/index.ts';
import { dial } from './dial.ts';
import { CONNECT_TIMEOUT_MS, clientOptions, withoutUserInfo } from './options.ts';
import { Outbox } from './outbox.ts';

/** What the server refused to this user. */
export interface PermissionRefusal {
  readonly operation: 'publish' | 'subscription';
  /** Absent when the server does not say which: a subscription beyond the number that this user may have. */
  readonly subject: string | undefined;
  /** The server's own words. */
  readonly text: string;
}

/** Told about one connection until it stops watching. Must not throw. */
export interface Watcher {
  refused?(refusal: PermissionRefusal): void;
  /** There is no connection now; the client is trying to get back. */
  disconnected?(server: string): void;
  /** @param awayMs how long there was none. */
  reconnected?(server: string, awayMs: number): void;
  /** The server is about to stop. */
  leaving?(server: string): void;
  /** The connection ended and will not come back; not called for our own close. */
  lost?(error: ConnectionLostError): void;
}

/** One connection to NATS, shared by everything in the process that needs it. */
export interface Connection {
  readonly nc: NatsConnection;
  /** False while the client is trying to get back to a server. */
  readonly connected: boolean;
  /** Largest body in bytes that the server of the moment carries for us, 768 KiB at most. */
  readonly bodyLimit: number;
  /** Where what need not leave at once waits for the end of the turn. {@link flush} and {@link close} empty it. */
  readonly outbox: Outbox;
  /** A fresh reply subject under the prefix that this user may subscribe to. */
  newInbox(): string;
  watch(watcher: Watcher): () => void;
  /** Resolves when the server has seen everything sent so far. Throws ConnectionLostError after `timeoutMs`. */
  flush(timeoutMs?: number): Promise<void>;
  /** Lets out what was sent, waiting at most `flushMs` for it, and ends the connection. */
  close(flushMs?: number): Promise<void>;
}

export interface ConnectOptions {
  readonly context?: NatsContext;
  /** Used instead of those of the context. */
  readonly servers?: readonly string[];
  /** What the connection is for; shown by the server as `fisk-ai NAME`. */
  readonly name: string;
  readonly log?: Logger;
  /** Gives the first attempt up; a connection that is still made is closed again. */
  readonly signal?: AbortSignal | undefined;
}

const FLUSH_MS = 2_000;
/** Smallest `max_payload` of a server, in bytes, that leaves room for headers, an acknowledgement and a short answer. */
const LEAST_PAYLOAD = 4_096;

/**
 * Connects. The first attempt is not repeated: ConnectFailedError names context, servers and cause, the reason of the
 * signal is thrown when that ends it. From then on the client comes back by itself, for as long as it takes.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const settings = clientOptions(options.context, options.servers ?? [], options.name);
  try {
    const nc = await wanted(dial(settings, options.signal), options.signal);
    await refuseTooSmall(nc);
    return new SharedConnection(nc, settings.inboxPrefix, options.log);
  } catch (error) {
    options.signal?.throwIfAborted();
    const servers = [settings.servers ?? []].flat().map(withoutUserInfo).join(', ');
    const by = options.context === undefined ? servers : `context ${options.context.name} (${servers})`;
    throw new ConnectFailedError(`cannot connect to NATS by ${by}: ${causeOf(error)}`, { cause: error });
  }
}

async function refuseTooSmall(nc: NatsConnection): Promise<void> {
  const carried = nc.info?.max_payload ?? LEAST_PAYLOAD;
  if (carried >= LEAST_PAYLOAD) return;
  await nc.close();
  throw new Error(
    `its max_payload is ${carried} bytes, and no answer fits in less than ${LEAST_PAYLOAD}; set it higher`,
  );
}

/** The connection, unless the signal comes first: looking up a name, for one, cannot be stopped. */
async function wanted(dialing: Promise<NatsConnection>, signal: AbortSignal | undefined): Promise<NatsConnection> {
  if (signal === undefined) return dialing;
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([dialing, stopped]);
  } catch (error) {
    void dialing.then(
      (nc) => nc.close(),
      () => {},
    );
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

class SharedConnection implements Connection {
  readonly nc: NatsConnection;
  readonly outbox = new Outbox();
  readonly #inboxPrefix: string | undefined;
  readonly #log: Logger | undefined;
  readonly #storms: StormLog;
  readonly #watchers = new Set<Watcher>();
  #connected = true;
  #away = 0;
  #closing = false;

  constructor(nc: NatsConnection, inboxPrefix: string | undefined, log: Logger | undefined) {
    this.nc = nc;
    this.#inboxPrefix = inboxPrefix;
    this.#log = log;
    this.#storms = new StormLog(log);
    void this.#follow();
    void nc.closed().then((error) => this.#ended(error || undefined));
  }

  get connected(): boolean {
    return this.#connected;
  }

  get bodyLimit(): number {
    const carried = this.nc.info?.max_payload;
    return carried === undefined ? MAX_BODY_BYTES : Math.min(MAX_BODY_BYTES, carried - HEADER_ROOM);
  }

  newInbox(): string {
    return createInbox(this.#inboxPrefix);
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async flush(timeoutMs = FLUSH_MS): Promise<void> {
    this.outbox.empty();
    let timer: NodeJS.Timeout | undefined;
    try {
      const late = new Promise<never>((_, reject) => {
        const error = new ConnectionLostError(`the NATS server did not confirm within ${timeoutMs} ms`);
        timer = setTimeout(() => reject(error), timeoutMs);
      });
      await Promise.race([this.nc.flush(), late]);
    } catch (error) {
      if (error instanceof ConnectionLostError) throw error;
      throw new ConnectionLostError(`the connection to NATS is down: ${causeOf(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async close(flushMs = FLUSH_MS): Promise<void> {
    this.#closing = true;
    this.outbox.empty();
    if (this.nc.isClosed()) return;
    if (this.#connected) await this.flush(flushMs).catch(() => this.#log?.warn('closing without a confirmed flush'));
    await this.nc.close();
  }

  async #follow(): Promise<void> {
    for await (const status of this.nc.status()) this.#note(status);
  }

  #note(status: Status): void {
    switch (status.type) {
      case 'disconnect':
        this.#connected = false;
        this.#away = performance.now();
        if (this.#closing) break;
        this.#log?.warn({ server: status.server }, 'disconnected from NATS');
        this.#tell((watcher) => watcher.disconnected?.(status.server));
        break;
      case 'reconnect': {
        this.#connected = true;
        const duration = Math.round(performance.now() - this.#away);
        this.#log?.info({ server: status.server, duration }, 'reconnected to NATS');
        this.#tell((watcher) => watcher.reconnected?.(status.server, duration));
        break;
      }
      case 'ldm':
        this.#log?.warn({ server: status.server }, 'the NATS server is about to stop');
        this.#tell((watcher) => watcher.leaving?.(status.server));
        break;
      case 'staleConnection':
        this.#log?.warn('the NATS server does not answer pings');
        break;
      case 'error':
        this.#noteError(status.error);
        break;
    }
  }

  #noteError(error: Error): void {
    const refusal = refusalOf(error);
    if (refusal === undefined) {
      this.#log?.warn({ error: error.message }, 'error from NATS');
      return;
    }
    const { operation, subject, text } = refusal;
    this.#storms.warn('refused by NATS', { code: operation }, () => ({ operation, subject, error: text }));
    for (const watcher of [...this.#watchers]) watcher.refused?.(refusal);
  }

  #tell(event: (watcher: Watcher) => void): void {
    for (const watcher of [...this.#watchers]) event(watcher);
  }

  #ended(error: Error | undefined): void {
    this.#connected = false;
    this.#storms.close();
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    if (this.#closing) return;
    const lost = new ConnectionLostError(`the connection to NATS ended: ${causeOf(error)}`, { cause: error });
    this.#log?.error({ error: lost.message }, 'connection to NATS lost for good');
    for (const watcher of watchers) watcher.lost?.(lost);
  }
}

function refusalOf(error: Error): PermissionRefusal | undefined {
  const text = error.message;
  if (error instanceof errors.PermissionViolationError) {
    return { operation: error.operation, subject: error.subject, text };
  }
  // The connection lives on after this one, deaf on whatever it asked for last.
  return /maximum subscriptions exceeded/i.test(text)
    ? { operation: 'subscription', subject: undefined, text }
    : undefined;
}

function causeOf(error: unknown): string {
  if (error instanceof errors.TimeoutError) {
    // The client loses the alert by which such a server says so.
    return `no greeting within ${CONNECT_TIMEOUT_MS} ms (a server that demands a client certificate may look like this)`;
  }
  if (error instanceof AggregateError && error.errors.length > 0) return causeOf(error.errors[0]);
  if (error instanceof Error) return error.message || error.name;
  return error === undefined ? 'no reason was given' : String(error);
}
