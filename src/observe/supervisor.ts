import { constants } from 'node:os';
import { type DatagramSender, datagramSender } from '../native/index.ts';
import type { Logger } from './logger.ts';
import type { DaemonState } from './observer.ts';
import type { Tally } from './tally.ts';

/** The supervisor that started us, told how we are. */
export interface Supervision {
  /** Says the last word and stops telling. */
  close(): void;
}

/** How often the line of numbers is renewed, in ms, if it has changed. */
const STATUS_MS = 5_000;
/** How often a supervisor hears that we still leave, in ms, and for how long it then waits, in µs. */
const EXTEND_MS = 1_000;
const EXTEND_US = 10_000_000;
/** How soon a message that the supervisor's full queue refused is tried again, in ms. */
const RETRY_MS = 100;
/** How many may wait so. The newest status makes the older ones worthless, so few are enough. */
const MOST_WAITING = 16;
const { EAGAIN, ENOBUFS } = constants.errno;

/**
 * Tells the supervisor named by NOTIFY_SOCKET when the daemon is ready, that its loop turns, what it does and that it
 * leaves. Without that variable nothing happens and nothing is returned.
 * @param drainMs how long leaving may take: from then on the supervisor hears of no more time that is needed.
 */
export function startSupervision(
  tally: Tally,
  env: NodeJS.ProcessEnv,
  log: Logger,
  drainMs: number,
): Supervision | undefined {
  const path = env['NOTIFY_SOCKET'];
  if (!path) return undefined;
  if (!/^[/@]/.test(path)) {
    log.warn({ socket: path }, 'the supervisor cannot be told anything: its socket is of an unknown kind');
    return undefined;
  }
  const sender = datagramSender(path);
  if ('errno' in sender) {
    log.warn({ socket: path, errno: sender.errno }, 'the supervisor cannot be told anything');
    return undefined;
  }
  return new Notifier(sender, tally, watchdogMs(env), drainMs, log);
}

/** Half of the time after which the supervisor restarts us; nothing when it does not watch this process. */
function watchdogMs(env: NodeJS.ProcessEnv, pid: number = process.pid): number | undefined {
  const micros = Number(env['WATCHDOG_USEC'] ?? '');
  const watched = env['WATCHDOG_PID'];
  if (!Number.isFinite(micros) || micros <= 0 || (watched && Number(watched) !== pid)) return undefined;
  return Math.max(1, Math.floor(micros / 2_000));
}

class Notifier implements Supervision {
  readonly #sender: DatagramSender;
  readonly #tally: Tally;
  readonly #drainMs: number;
  readonly #log: Logger;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #waiting: string[] = [];
  #retry: NodeJS.Timeout | undefined;
  #told: DaemonState | undefined;
  #status = '';
  /** How the last send went: what goes on failing is logged once. */
  #errno = 0;
  #broken = false;

  constructor(sender: DatagramSender, tally: Tally, feedMs: number | undefined, drainMs: number, log: Logger) {
    this.#sender = sender;
    this.#tally = tally;
    this.#drainMs = drainMs;
    this.#log = log;
    // These run on the event loop on purpose: a loop that is blocked feeds nobody, and is restarted.
    if (feedMs !== undefined) this.#every(feedMs, () => this.#send('WATCHDOG=1'));
    this.#every(STATUS_MS, () => this.#update());
    tally.onChange(() => this.#update());
    this.#update();
  }

  close(): void {
    this.#update();
    this.#flush();
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#retry);
    this.#sender.close();
    this.#broken = true;
  }

  #every(ms: number, act: () => void): void {
    this.#timers.push(setInterval(act, ms).unref());
  }

  #update(): void {
    const lines = this.#tally.currentState === this.#told ? [] : this.#transition(this.#tally.currentState);
    const status = statusLine(this.#tally);
    if (status !== this.#status) {
      this.#status = status;
      lines.push(`STATUS=${status}`);
    }
    if (lines.length > 0) this.#send(lines.join('\n'));
  }

  #transition(state: DaemonState): string[] {
    const before = this.#told;
    this.#told = state;
    if (state === 'ready') return ['READY=1'];
    if (state === 'starting' || before === 'draining') return [];
    const until = performance.now() + this.#drainMs;
    this.#every(EXTEND_MS, () => {
      if (performance.now() < until) this.#send(`EXTEND_TIMEOUT_USEC=${EXTEND_US}`);
    });
    return ['STOPPING=1', `EXTEND_TIMEOUT_USEC=${EXTEND_US}`];
  }

  #send(message: string): void {
    if (this.#broken) return;
    this.#waiting.push(message);
    this.#flush();
  }

  #flush(): void {
    while (!this.#broken && this.#waiting.length > 0) {
      const errno = this.#sender.send(this.#waiting[0] ?? '');
      if (errno === EAGAIN || errno === ENOBUFS) {
        this.#later();
        return;
      }
      this.#waiting.shift();
      if (errno !== 0 && errno !== this.#errno) this.#log.warn({ errno }, 'the supervisor could not be told');
      this.#errno = errno;
    }
  }

  #later(): void {
    if (this.#waiting.length > MOST_WAITING) {
      // What changes the state goes before everything else, however long the queue has been full.
      const news = this.#waiting.filter((message) => /^(?:READY|STOPPING)=/.test(message));
      this.#waiting.splice(0, Number.POSITIVE_INFINITY, ...news);
    }
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#flush();
    }, RETRY_MS).unref();
  }
}

/** One line for people, as `systemctl status` shows it. */
function statusLine(tally: Tally): string {
  const { currentState, reason, what, calls, lastFault } = tally;
  if (currentState === 'starting' || currentState === 'stopped' || currentState === 'failed') {
    return oneLine(`${currentState}: ${reason}`);
  }
  const parts = [
    what === undefined ? undefined : `${what.slots.inUse} of ${what.slots.limit} slots in use`,
    `${calls} call${calls === 1 ? '' : 's'}${troubles(tally)}`,
    what?.connection?.connected === false ? 'no connection to NATS' : undefined,
    lastFault === undefined ? undefined : `last fault: ${lastFault}`,
  ];
  const state = currentState === 'ready' ? 'ready' : `${currentState} (${reason})`;
  return oneLine(`${state}: ${parts.filter((part) => part !== undefined).join(', ')}`);
}

function troubles({ failed, refusedCalls: refused }: Tally): string {
  const parts = [failed > 0 ? `${failed} failed` : '', refused > 0 ? `${refused} refused` : ''];
  const text = parts.filter((part) => part !== '').join(', ');
  return text === '' ? '' : ` (${text})`;
}

/** A line break in a value would begin another assignment. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 512);
}
