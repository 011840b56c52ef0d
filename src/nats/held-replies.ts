import { setTimeout as delay } from 'node:timers/promises';
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

/** A final reply that could not leave. */
export interface HeldReply {
  readonly replyTo: string;
  readonly headers: MsgHdrs;
  /** Its size in bytes when it fell due. */
  readonly bytes: number;
  /** Writes its body in at most `limit` bytes: the server of the moment may carry less than the one before. */
  write(limit: number): Uint8Array;
}

/** Numbers for whoever watches. */
export interface HeldCounts {
  /** Replies that were held so far. */
  held: number;
  /** Those that were given up: too many, nobody there for too long, the connection lost under them, or the daemon left. */
  dropped: number;
}

/**
 * Final replies that fell due while there was no connection. The client library takes such a message and throws it
 * away. They are sent after the reconnect and kept until it is known what became of them: a reply that the server had
 * nobody to hand to is tried again, and one that somebody may have got is not.
 */
export class HeldReplies {
  readonly counts: HeldCounts = { held: 0, dropped: 0 };
  readonly #connection: Connection;
  readonly #log: Logger | undefined;
  readonly #waiting = new Set<HeldReply>();
  #bytes = 0;
  /** `performance.now()` at which those that still wait are given up. */
  #until = 0;
  #releasing = false;

  constructor(connection: Connection, log: Logger | undefined) {
    this.#connection = connection;
    this.#log = log;
    connection.watch({
      reconnected: () => {
        this.#until = performance.now() + RETRY_FOR_MS;
        void this.#release();
      },
    });
  }

  /** How many wait now, those that are being sent among them. */
  get size(): number {
    return this.#waiting.size;
  }

  hold(reply: HeldReply): void {
    this.#waiting.add(reply);
    this.#bytes += reply.bytes;
    this.counts.held++;
    const dropped: HeldReply[] = [];
    let excess = this.#bytes - HELD_BYTES;
    for (const oldest of this.#waiting) {
      if (excess <= 0) break;
      excess -= oldest.bytes;
      dropped.push(oldest);
    }
    this.#drop(dropped, 'too many replies wait for the connection');
  }

  /** Gives up what waits, because the daemon leaves. */
  dropAll(): void {
    this.#drop([...this.#waiting], 'the daemon leaves before they could be delivered');
  }

  #remove(reply: HeldReply): boolean {
    const waited = this.#waiting.delete(reply);
    if (waited) this.#bytes -= reply.bytes;
    return waited;
  }

  #drop(given: readonly HeldReply[], reason: string): void {
    const replies = given.filter((reply) => this.#remove(reply)).length;
    if (replies === 0) return;
    this.counts.dropped += replies;
    this.#log?.warn({ replies, reason }, 'final replies were dropped');
  }

  /** Sends what waits, again and again. Ends when the connection goes; the next one begins anew. */
  async #release(): Promise<void> {
    if (this.#releasing || this.size === 0) return;
    this.#releasing = true;
    this.#log?.info({ replies: this.size }, 'sending the final replies that waited for the connection');
    while (this.size > 0 && this.#connection.connected) {
      await this.#send([...this.#waiting]);
      if (performance.now() >= this.#until) this.#drop([...this.#waiting], 'their callers did not come back');
      if (this.size > 0) await delay(RETRY_MS);
    }
    this.#releasing = false;
  }

  /** Sends them and keeps those that the server had nobody for. The server says so to a reply subject of ours. */
  async #send(replies: readonly HeldReply[]): Promise<void> {
    const { nc, bodyLimit } = this.#connection;
    const inbox = this.#connection.newInbox();
    const sent = new Set<HeldReply>();
    let subscription: Subscription | undefined;
    try {
      subscription = nc.subscribe(`${inbox}.*`, {
        callback: (_error, message: Msg) => {
          const reply = replies[Number(message.subject.slice(inbox.length + 1))];
          if (message.headers?.code === NO_RESPONDERS && reply !== undefined) sent.delete(reply);
        },
      });
      for (const [index, reply] of replies.entries()) {
        sent.add(reply);
        nc.publish(reply.replyTo, reply.write(bodyLimit), { headers: reply.headers, reply: `${inbox}.${index}` });
      }
      await this.#connection.flush();
      // The notices arrive before the confirmation, but reach the callback a few turns later.
      await new Promise((resolve) => setImmediate(resolve));
      for (const reply of sent) this.#remove(reply);
    } catch {
      // Gone again in the middle: what became of these is not known, and none may arrive twice.
      this.#drop([...sent], 'the connection was lost while they were sent: some may have arrived');
    } finally {
      subscription?.unsubscribe();
    }
  }
}
