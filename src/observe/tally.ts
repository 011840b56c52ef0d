import { CALL_BOUNDS, DELAY_BOUNDS, Durations, SPAWN_BOUNDS } from './durations.ts';
import type {
  CallFacts,
  CallOutcome,
  ConnectionEvent,
  DaemonState,
  EndCall,
  ServeObserver,
  Serving,
  Surface,
} from './observer.ts';
import { Ring } from './ring.ts';

/** A call that runs. `since` is `performance.now()`. */
export interface RunningCall extends CallFacts {
  readonly since: number;
}

/** A call that ended. Neither its arguments nor its output is known here. */
export interface EndedCall extends CallFacts {
  readonly outcome: CallOutcome;
  readonly seconds: number;
  /** Unix ms. */
  readonly endedAt: number;
}

export interface ConnectionNote {
  readonly event: ConnectionEvent;
  readonly server: string | undefined;
  readonly awayMs: number | undefined;
  /** Unix ms. */
  readonly at: number;
}

/** Durations of the calls that share a surface, a kind and an outcome. */
export interface CallGroup extends Omit<CallFacts, 'tool'> {
  readonly outcome: CallOutcome;
  readonly durations: Durations;
}

/** What is counted for one tool on the card. */
export interface ToolNumbers {
  readonly outcomes: Map<CallOutcome, number>;
  seconds: number;
}

export interface Refusals {
  readonly surface: Surface;
  readonly code: string;
  count: number;
}

const RECENT_CALLS = 50;
const RECENT_NOTES = 50;

/**
 * The numbers of one daemon, all in one place: metrics, health, the status page and the supervisor's line read them
 * here. What is kept grows with the tools on the card and with nothing a caller sends.
 */
export class Tally implements ServeObserver {
  readonly version: string;
  readonly identity: string;
  /** Unix ms. */
  readonly startedAt = Date.now();
  readonly groups = new Map<string, CallGroup>();
  readonly tools = new Map<string, ToolNumbers>();
  readonly refusals = new Map<string, Refusals>();
  readonly running = new Set<RunningCall>();
  readonly recent = new Ring<EndedCall>(RECENT_CALLS);
  readonly notes = new Ring<ConnectionNote>(RECENT_NOTES);
  readonly spawns = new Durations(SPAWN_BOUNDS);
  readonly loopDelays = new Durations(DELAY_BOUNDS);
  calls = 0;
  reconnects = 0;
  /** Log lines dropped because their reader was too slow or the disk full. */
  droppedLogLines: () => number = () => 0;
  #state: DaemonState = 'starting';
  #reason = 'looking at the application and connecting';
  #drainStart: number | undefined;
  #drainEnd: number | undefined;
  #lastFault: string | undefined;
  #serving: Serving | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(identity: string, version: string) {
    this.identity = identity;
    this.version = version;
  }

  get currentState(): DaemonState {
    return this.#state;
  }

  /** Why the state is what it is. */
  get reason(): string {
    return this.#reason;
  }

  /** Undefined until everything is built. */
  get what(): Serving | undefined {
    return this.#serving;
  }

  get lastFault(): string | undefined {
    return this.#lastFault;
  }

  /** How long leaving has taken so far; 0 before it began. */
  get drainSeconds(): number {
    if (this.#drainStart === undefined) return 0;
    return ((this.#drainEnd ?? performance.now()) - this.#drainStart) / 1_000;
  }

  /** Calls that neither ended well nor by a command's own exit code. */
  get failed(): number {
    const troubled = [...this.groups.values()].filter(({ outcome }) => outcome !== 'ok' && outcome !== 'nonzero');
    return troubled.reduce((sum, { durations }) => sum + durations.count, 0);
  }

  get refusedCalls(): number {
    return [...this.refusals.values()].reduce((sum, { count }) => sum + count, 0);
  }

  /** Why no work should come here now; nothing when it should. */
  notReady(): string[] {
    const reasons: string[] = [];
    if (this.#state !== 'ready') reasons.push(`the daemon is ${this.#state}`);
    if (this.#serving === undefined) reasons.push('the service is not registered');
    else if (this.#serving.connection?.connected === false) reasons.push('there is no connection to NATS');
    return reasons;
  }

  /** Calls back after each change of state or connection. The function must not throw. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  state(next: DaemonState, reason: string): void {
    this.#state = next;
    this.#reason = reason;
    if (next === 'draining') this.#drainStart = performance.now();
    if (next === 'stopped' || next === 'failed') this.#drainEnd = performance.now();
    if (next === 'failed') this.#lastFault = reason;
    this.#changed();
  }

  serving(what: Serving): void {
    this.#serving = what;
  }

  connection(event: ConnectionEvent, server?: string, awayMs?: number): void {
    this.notes.add({ event, server, awayMs, at: Date.now() });
    if (event === 'reconnected') this.reconnects++;
    if (event === 'disconnected' || event === 'lost') {
      this.#lastFault = `${event === 'lost' ? 'lost' : 'disconnected from'} NATS at ${new Date().toISOString()}`;
    }
    this.#changed();
  }

  callStarted(call: CallFacts): EndCall {
    const running = { ...call, since: performance.now() };
    this.running.add(running);
    this.calls++;
    return (outcome) => {
      // A call that its caller was told to give up still ends some day.
      if (this.running.delete(running)) this.#ended(running, outcome);
    };
  }

  refused(surface: Surface, code: string): void {
    const key = `${surface} ${code}`;
    const refusals = this.refusals.get(key);
    if (refusals === undefined) this.refusals.set(key, { surface, code, count: 1 });
    else refusals.count++;
  }

  spawned(seconds: number): void {
    this.spawns.add(seconds);
  }

  #ended({ surface, kind, tool, since }: RunningCall, outcome: CallOutcome): void {
    const seconds = (performance.now() - since) / 1_000;
    this.#group(surface, kind, outcome).durations.add(seconds);
    const numbers = this.#tool(tool);
    numbers.outcomes.set(outcome, (numbers.outcomes.get(outcome) ?? 0) + 1);
    numbers.seconds += seconds;
    this.recent.add({ surface, kind, tool, outcome, seconds, endedAt: Date.now() });
  }

  #group(surface: Surface, kind: string, outcome: CallOutcome): CallGroup {
    const key = `${surface} ${kind} ${outcome}`;
    let group = this.groups.get(key);
    if (group === undefined) {
      group = { surface, kind, outcome, durations: new Durations(CALL_BOUNDS) };
      this.groups.set(key, group);
    }
    return group;
  }

  #tool(name: string): ToolNumbers {
    let numbers = this.tools.get(name);
    if (numbers === undefined) {
      numbers = { outcomes: new Map(), seconds: 0 };
      this.tools.set(name, numbers);
    }
    return numbers;
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
