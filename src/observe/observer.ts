/** What a daemon tells about itself while it works, and to whom: the port between those who act and those who watch. */

/** Where a daemon is in its life. */
export type DaemonState = 'starting' | 'ready' | 'draining' | 'stopped' | 'failed';

/** By which protocol a call came. */
export type Surface = 'a2a' | 'mcp';

/**
 * How an accepted call ended. `ok`: the command ended with 0. `nonzero`: it ended with another code or by a signal,
 * which is an answer and no failure. `timeout`: its time was up. `error`: it could not run. `cancelled`: its caller
 * gave it up, and it was ended. `interrupted`: its caller was told that we leave; whether it ended is not known.
 */
export type CallOutcome = 'ok' | 'nonzero' | 'timeout' | 'error' | 'cancelled' | 'interrupted';

/** Which call it is. Both texts are ours: the kinds are a fixed list, the names those on the card. */
export interface CallFacts {
  readonly surface: Surface;
  readonly kind: string;
  readonly tool: string;
}

/** Ends what is known of one call. Only the first outcome counts. */
export type EndCall = (outcome: CallOutcome) => void;

/** What happened to the connection. `lost` is for good. */
export type ConnectionEvent = 'connected' | 'disconnected' | 'reconnected' | 'lame duck' | 'lost';

/** One tool as an operator sees it. */
export interface ToolFacts {
  readonly name: string;
  readonly kind: string;
  /** What it declares about its effects, such as `read-only`; empty when it declares nothing. */
  readonly behavior: readonly string[];
  /** The tag that asks for an approval. */
  readonly gate: string | undefined;
  /** Why it is not served; absent when it is. */
  readonly withheld?: string;
}

/** What a daemon answers with. All but the tools are read again at each look and cost nothing while nobody looks. */
export interface Serving {
  readonly tools: readonly ToolFacts[];
  readonly slots: { readonly inUse: number; readonly limit: number };
  /** These three are absent for a daemon that answers no requests over NATS. */
  readonly connection?: { readonly connected: boolean };
  readonly counts?: ServiceNumbers;
  held?(): HeldNumbers;
}

/** Running totals of the service that answers. */
export interface ServiceNumbers {
  /** Requests refused as malformed, by the check that they failed. */
  readonly malformed: ReadonlyMap<string, number>;
  /** Requests that named another agent as their recipient. */
  readonly foreignRecipients: number;
  /** Answers that could not be sent. */
  readonly failedSends: number;
}

/** Final replies that had to wait for the connection. */
export interface HeldNumbers {
  /** Now. */
  readonly waiting: number;
  /** So far. */
  readonly held: number;
  /** Given up. */
  readonly dropped: number;
}

/**
 * Told what a daemon does. No method throws, waits or keeps what a caller sent; names of tools are those on the card and
 * every other text is from a fixed list.
 */
export interface ServeObserver {
  state(next: DaemonState, reason: string): void;
  /** Once, before the state becomes `ready`. */
  serving(what: Serving): void;
  /** @param server its address without credentials. @param awayMs how long there was no connection. */
  connection(event: ConnectionEvent, server?: string, awayMs?: number): void;
  /** A call was accepted. The returned function tells how it ended. */
  callStarted(call: CallFacts): EndCall;
  /** A call was refused or its arguments did not fit; nothing ran. `code` is what its caller was told. */
  refused(surface: Surface, code: string): void;
  /** A process was started, and that took `seconds`. */
  spawned(seconds: number): void;
}

const nothing = () => {};

/** For a daemon that nobody watches. */
export const silentObserver: ServeObserver = {
  state: nothing,
  serving: nothing,
  connection: nothing,
  callStarted: () => nothing,
  refused: nothing,
  spawned: nothing,
};
