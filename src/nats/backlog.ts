import type { Logger } from '../observe/index.ts';
import type { Connection } from './connection.ts';

/** What may be under way to the server, in bytes, before answers that are dear and can be asked for again are refused. */
const MOST_BYTES = 16 * 1024 * 1024;
/** The server is asked what has arrived once this much is under way, in bytes. */
const ASK_BYTES = MOST_BYTES / 4;
/** How long refusals are gathered for one line of the log, in ms. */
const SUMMARY_MS = 10_000;

/**
 * How much was sent that the server has not confirmed yet. The client library takes every message at once and keeps it
 * in memory until the socket takes it, so whoever asks much and reads nothing could otherwise fill the memory.
 */
export class Backlog {
  readonly #connection: Connection;
  readonly #log: Logger | undefined;
  #sent = 0;
  #arrived = 0;
  #asking = false;
  #refused = 0;
  #summary: NodeJS.Timeout | undefined;

  constructor(connection: Connection, log: Logger | undefined) {
    this.#connection = connection;
    this.#log = log;
  }

  /** Whether so much is under way that only what cannot wait should be added. */
  get full(): boolean {
    return this.#sent - this.#arrived > MOST_BYTES;
  }

  /** Notes that a message of so many bytes is on its way. */
  add(bytes: number): void {
    this.#sent += bytes;
    if (!this.#asking && this.#sent - this.#arrived > ASK_BYTES) void this.#ask();
  }

  /** Notes that an answer was refused because of it; many become one line of the log. */
  refused(): void {
    this.#refused++;
    if (this.#summary !== undefined) return;
    this.#log?.warn('more waits for the NATS server than may: cards are refused until it has taken it');
    this.#summary = setTimeout(() => this.#tell(), SUMMARY_MS).unref();
  }

  #tell(): void {
    this.#summary = undefined;
    this.#log?.warn({ refused: this.#refused }, 'cards were refused because too much waited for the NATS server');
    this.#refused = 0;
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    await this.#connection.outbox.emptied();
    const upTo = this.#sent;
    try {
      await this.#connection.nc.flush();
      this.#arrived = upTo;
    } catch {
      // The connection is gone, and with it everything that waited for it.
      this.#arrived = this.#sent;
    }
    this.#asking = false;
  }
}
