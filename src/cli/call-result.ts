import { FiskError } from '../errors.ts';
import type { RemoteOutcome } from '../nats/index.ts';
import { type FailureClass, failureClass } from './failure.ts';

/** How a call ended, by name, since a command may exit with any of the numbers that mean something else here. */
export type CallClass =
  /** A command ran; its exit code is in `exec`. */
  | 'ran'
  /** The tool answered without running a command. */
  | 'answered'
  /** The tool failed without running a command. */
  | 'failed'
  | 'invalid_input'
  | 'unknown_tool'
  | 'capacity'
  | 'draining'
  | 'interrupted'
  | FailureClass;

/** Why there is no output. */
export interface CallFailure {
  /** The code of the reply, or our own `FISK_…`. */
  readonly code?: string;
  readonly message: string;
  readonly remedy?: string;
}

/** The end of a call: what to print and what to exit with. */
export interface CallResult {
  readonly class: CallClass;
  readonly exitCode: number;
  /** For stdout. */
  readonly output: string;
  readonly exec?: { readonly command: string; readonly exitCode: number; readonly truncated: boolean };
  /** For stderr. */
  readonly error?: CallFailure;
}

/** The codes of a reply that have an exit code of their own; any other failure is a tool's own. */
const REPLY_CODES = new Map<string, { readonly class: CallClass; readonly exitCode: number }>([
  ['invalid_input', { class: 'invalid_input', exitCode: 65 }],
  ['unknown_tool', { class: 'unknown_tool', exitCode: 65 }],
  ['capacity', { class: 'capacity', exitCode: 75 }],
  ['draining', { class: 'draining', exitCode: 75 }],
  ['interrupted', { class: 'interrupted', exitCode: 75 }],
  ['timeout', { class: 'timeout', exitCode: 124 }],
]);

const FAILED = { class: 'failed', exitCode: 70 } as const;

/** What a shell can see of an exit code of -1, which stands for a command that a signal ended. */
const ENDED_BY_SIGNAL = 255;

/** Reads the answer of an agent. */
export function resultOf({ output, isError, code, exec }: RemoteOutcome): CallResult {
  if (isError) {
    const known = (code === undefined ? undefined : REPLY_CODES.get(code)) ?? FAILED;
    const message = output === '' ? 'the tool failed and said nothing about it' : output;
    return { ...known, output: '', error: { message, ...(code === undefined ? {} : { code }) } };
  }
  if (exec === undefined) return { class: 'answered', exitCode: 0, output };
  return { class: 'ran', exitCode: exec.exitCode < 0 ? ENDED_BY_SIGNAL : exec.exitCode & 0xff, output, exec };
}

/** Sorts a call that got no answer. */
export function resultOfFailure(error: unknown): CallResult {
  const { class: name, ...failure } = failureClass(error);
  return { class: name, exitCode: error instanceof FiskError ? error.exitCode : 1, output: '', error: failure };
}

/** The result as one JSON document. */
export function callJson(agent: string, tool: string, result: CallResult, durationMs: number): object {
  const { class: name, exitCode, output, exec, error } = result;
  return {
    agent,
    tool,
    class: name,
    exit_code: exitCode,
    output,
    ...(exec === undefined
      ? {}
      : { exec: { command: exec.command, exit_code: exec.exitCode, truncated: exec.truncated } }),
    ...(error === undefined ? {} : { error }),
    duration_ms: durationMs,
  };
}
