/**
 * What every tool is, whatever stands behind it. Only what all kinds share is here; anything that one kind alone can
 * answer is a capability (see capabilities.ts), so that a consumer asks for it and learns when it is not there.
 */
import type { ProcessLog } from '../process/index.ts';
import type { Prompter } from './prompter.ts';

/** A JSON object whose keys were chosen by somebody else. Read it with Object.keys or Object.hasOwn. */
export type JsonObject = { readonly [key: string]: unknown };

/** What a model or a peer is told about a tool. The same bytes after every restart. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly deferLoading: boolean;
}

/** The arguments of one call. */
export interface ToolInput {
  /** As JSON.parse gives it: always an object. */
  readonly value: unknown;
  /** The same with every number as a NumberText. Costs a second parse, so ask only when the value holds a number. */
  source(): unknown;
}

/** What surrounds one call. */
export interface CallContext {
  /** Ends the call when it aborts. */
  readonly signal?: AbortSignal;
  /** Milliseconds the call may take; absent means without limit. */
  readonly timeoutMs?: number;
  readonly log?: ProcessLog;
  /** Told how long the start of a process took, in ms. Must not throw. */
  readonly onStart?: (durationMs: number) => void;
}

/** Handed to a call when its {@link CallInfo} asks for them. */
export interface ExecDeps {
  readonly prompter?: Prompter;
  /** An absolute directory that exists; absent means the directory of this process. */
  readonly workDir?: string;
}

/** There when a call ran a command, and the only thing that tells such a call from another. */
export interface ExecRecord {
  /** The argument vector joined with single spaces, unquoted, without the binary. */
  readonly command: string;
  /** -1 when a signal ended the command. */
  readonly exitCode: number;
  /** True when the middle of the output was left out. */
  readonly truncated: boolean;
  /** The signal that ended the command; for the log, never sent to a caller. */
  readonly signal?: string;
}

/** How a call ended that did not fail. A command that exits non-zero has not failed. */
export interface Outcome {
  readonly output: string;
  readonly exec?: ExecRecord;
}

/**
 * One tool. The two exposure members are part of the contract on purpose: a new kind that does not say where it may be
 * shown does not compile. They are a ceiling: what an operator selects can only narrow it.
 */
export interface Tool {
  /** Flat, unique within a set, and what calls are dispatched by. */
  readonly name: string;
  /** For people. */
  readonly description: string;
  /** For models and peers. */
  readonly modelDescription: string;
  /** Its root `type` is `object`. */
  readonly inputSchema: JsonObject;
  readonly mcpExposable: boolean;
  readonly a2aExposable: boolean;
  /** A kind that is never deferred answers `deferLoading: false` whatever it is asked. */
  definition(deferLoading: boolean): ToolDefinition;
  /**
   * Runs one call. Rejects with ArgumentsInvalidError when the arguments do not fit, with a {@link DeferredEnding} or a
   * {@link PromptAbortedEnding} when there is no result and none is missing, and with anything else when it failed.
   */
  execute(context: CallContext, input: ToolInput, deps: ExecDeps): Promise<Outcome>;
}
