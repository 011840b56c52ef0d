import type { Logger } from './logger.ts';

/** So many lines of one message are written before the rest of them is counted. */
const SINGLY = 10;
/** How long is counted before the count is written, in ms. A storm is over when nothing was counted for as long. */
const INTERVAL_MS = 10_000;
/** Senders that one count tells apart: whoever sends may use a new name each time. */
const SENDERS = 20;
const LONGEST_NAME = 128;

/** What happened, as far as a count tells it. */
export interface StormEvent {
  /** From a fixed list of ours. */
  readonly code: string;
  /** A claim of whoever sent it. */
  readonly sender?: string | undefined;
}

interface Storm {
  readonly timer: NodeJS.Timeout;
  written: number;
  count: number;
  /** Since when it counts, in `performance.now()`. */
  since: number;
  readonly codes: Map<string, number>;
  readonly senders: Map<string, number>;
  otherSenders: number;
}

/**
 * Warnings that others can cause as often as they like. The first of each message are written one by one, and those that
 * follow within the interval become one line with their numbers: a storm of requests must not become one of lines.
 */
export class StormLog {
  readonly #log: Logger | undefined;
  readonly #intervalMs: number;
  /** By message, so that one storm hides nothing else. */
  readonly #storms = new Map<string, Storm>();

  constructor(log: Logger | undefined, intervalMs: number = INTERVAL_MS) {
    this.#log = log;
    this.#intervalMs = intervalMs;
  }

  /** Writes the message, which is one of ours, or counts it. The fields are asked for only when they are written. */
  warn(message: string, event: StormEvent, fields: () => Record<string, unknown>): void {
    const storm = this.#storms.get(message) ?? this.#begin(message);
    if (storm.written < SINGLY) {
      storm.written++;
      this.#log?.warn(fields(), message);
    } else {
      count(storm, event);
    }
  }

  /** Writes what was counted and not yet told. */
  close(): void {
    for (const [message, storm] of this.#storms) {
      clearInterval(storm.timer);
      this.#tell(message, storm);
    }
    this.#storms.clear();
  }

  #begin(message: string): Storm {
    const timer = setInterval(() => this.#turn(message, storm), this.#intervalMs).unref();
    const [codes, senders] = [new Map<string, number>(), new Map<string, number>()];
    const storm = { timer, written: 0, count: 0, since: performance.now(), codes, senders, otherSenders: 0 };
    this.#storms.set(message, storm);
    return storm;
  }

  #turn(message: string, storm: Storm): void {
    if (storm.count > 0) {
      this.#tell(message, storm);
      return;
    }
    clearInterval(storm.timer);
    this.#storms.delete(message);
  }

  #tell(message: string, storm: Storm): void {
    const { count: lines, codes, senders, otherSenders } = storm;
    const now = performance.now();
    const duration = Math.round(now - storm.since);
    storm.since = now;
    if (lines === 0) return;
    const fields = {
      line: message,
      lines,
      codes: Object.fromEntries(codes),
      // Pairs, since a name may be anything.
      senders: [...senders].sort(([, one], [, other]) => other - one),
      ...(otherSenders > 0 && { of_other_senders: otherSenders }),
      duration,
    };
    this.#log?.warn(fields, 'more of these lines were counted instead of written');
    storm.count = 0;
    storm.otherSenders = 0;
    codes.clear();
    senders.clear();
  }
}

function count(storm: Storm, { code, sender = '' }: StormEvent): void {
  storm.count++;
  storm.codes.set(code, (storm.codes.get(code) ?? 0) + 1);
  const name = sender.slice(0, LONGEST_NAME);
  const before = storm.senders.get(name);
  if (before === undefined && storm.senders.size >= SENDERS) storm.otherSenders++;
  else storm.senders.set(name, (before ?? 0) + 1);
}
