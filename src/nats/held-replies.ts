import type { Msg, MsgHdrs, Subscription } from '@nats-io/nats-core';
import type { Logger } from '../observe/index.ts';
import type { Connection } from './connection.ts';

/** What may wait for a connection, in bytes. Beyond it the oldest replies are dropped. */
const HELD_BYTES = 8 * 1024 * 1024;
/** A caller may need longer than we do to come back: its reply is tried again this often, in ms … */
const RETRY_MS = 500;
/** … for this long after the reconnect, in ms. Clients wait two seconds between two attempts by themselves. */
const RETRY_FOR_MS = 30_000;
const NO_RESPONDERS = 503;

interface Held {
  readonly replyTo: string;
  readonly body: Uint8Array;
  readonly headers: MsgHdrs;
}

/** Numbers for whoever watches. */
export interface HeldCounts {
  /** Replies that were held so far. */
  held: number;
  /** Those that were given up: too many, nobody there for too long, or the daemon left. */
  dropped: number;
}

/**
 * Final replies that fell due while there was no connection. The client library takes such a message and throws it
 * away. They are sent after the reconnect, each once: a reply that the server had nobody to hand to is tried again, and one
 * that somebody may have got is not.
 */
export class HeldReplies {
  readonly counts: HeldCounts = { held: 0, dropped: 0 };
  readonly #connection: Connection;
  readonly #log: Logger | undefined;
  #waiting: Held[] = [];
  #bytes = 0;

  constructor(connection: Connection, log: Logger | undefined) {
    this.#connection = connection;
    this.#log = log;
    connection.watch({ reconnected: () => void this.#release() });
  }

  /** How many wait now. */
  get size(): number {
    return this.#waiting.length;
  }

  hold(reply: Held): void {
    this.#waiting.push(reply);
    this.#bytes += reply.body.length;
    this.counts.held++;
    let dropped = 0;
    while (this.#bytes > HELD_BYTES) {
      this.#bytes -= this.#waiting.shift()?.body.length ?? 0;
      dropped++;
    }
    this.#drop(dropped, 'too many replies wait for the connection');
  }

  /** Gives up what waits, because the daemon leaves. */
  dropAll(): void {
    this.#drop(this.#take().length, 'the daemon leaves before the connection is back');
  }

  #take(): Held[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    return taken;
  }

  #drop(replies: number, reason: string): void {
    if (replies > 0) {
      this.counts.dropped += replies;
      this.#log?.warn({ replies, reason }, 'final replies were dropped');
    }
  }

  async #release(): Promise<void> {
    let left = this.#take();
    if (left.length === 0) {
      return;
    }
    this.#log?.info({ replies: left.length }, 'sending the final replies that waited for the connection');
    for (const end = performance.now() + RETRY_FOR_MS; left.length > 0 && performance.now() < end; ) {
      left = await this.#send(left);
      if (left.length > 0) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    this.#drop(left.length, 'their callers did not come back');
  }

  /** Sends them and returns those that the server had nobody for. The server says so to a reply subject of ours. */
  async #send(replies: readonly Held[]): Promise<Held[]> {
    const { nc } = this.#connection;
    const inbox = this.#connection.newInbox();
    const undelivered = new Set<number>();
    let subscription: Subscription | undefined;
    try {
      subscription = nc.subscribe(`${inbox}.*`, {
        callback: (_error, message: Msg) => {
          if (message.headers?.code === NO_RESPONDERS) {
            undelivered.add(Number(message.subject.slice(inbox.length + 1)));
          }
        },
      });
      for (const [index, { replyTo, body, headers }] of replies.entries()) {
        nc.publish(replyTo, body, { headers, reply: `${inbox}.${index}` });
      }
      await this.#connection.flush();
      // The notices arrive before the confirmation, but reach the callback a few turns later.
      await new Promise((resolve) => setImmediate(resolve));
      return replies.filter((_, index) => undelivered.has(index));
    } catch (error) {
      // Gone again in the middle: what became of them is not known, and none may arrive twice.
      this.#log?.warn(
        { replies: replies.length, error: String(error) },
        'the connection was lost while replies were sent',
      );
      return [];
    } finally {
      subscription?.unsubscribe();
    }
  }
}
