import { FiskError } from '../errors.ts';
import type { RemoteOutcome } from '../nats/index.ts';
import { type FailureClass, failureClass } from './failure.ts';
import { type ReplyCodeInfo, replyCodes } from './reply-codes.ts';

/** How a call ended, by name, since a command may exit with any of the numbers that mean something else here. */
export type CallClass =
  /** A command ran; its exit code is in `exec`. */
  | 'ran'
  /** The tool answered without running a command. */
  | 'answered'
  /** The agent says why; `failed` when the tool failed without running a command. */
  | ReplyCodeInfo['class']
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

const FAILED = { class: 'failed', exitCode: 70 } as const;

/** What a shell can see of a code that is none: -1, which stands for a command that a signal ended, or anything a peer makes up. */
const NO_EXIT_CODE = 255;

/** The call that an answer is for, as its remedy names it. */
export interface CallNames {
  readonly agent: string;
  readonly tool: string;
  /** What was probably meant, a sentence. */
  readonly meant?: string | undefined;
}

/** Reads the answer of an agent. */
export function resultOf({ output, isError, code, exec }: RemoteOutcome, names: CallNames): CallResult {
  if (isError) {
    const known = code === undefined ? undefined : replyCodes.get(code);
    const { class: name, exitCode } = known ?? FAILED;
    return { class: name, exitCode, output: '', error: failureOf(output, code, known, names) };
  }
  if (exec === undefined) return { class: 'answered', exitCode: 0, output };
  return { class: 'ran', exitCode: shellCode(exec.exitCode), output, exec };
}

/** Never 0 for a command that did not end with 0. */
function shellCode(code: number): number {
  return Number.isInteger(code) && code >= 0 && code <= 255 ? code : NO_EXIT_CODE;
}

function failureOf(
  output: string,
  code: string | undefined,
  known: ReplyCodeInfo | undefined,
  { agent, tool, meant }: CallNames,
): CallFailure {
  const said = output === '' ? (known?.meaning ?? 'the tool failed and said nothing about it') : output;
  const message = code === 'unknown_tool' && !said.includes(tool) ? `${tool}: ${said}` : said;
  const remedy = known?.remedy.replace('AGENT', agent).replace('TOOL', tool);
  const advice = [meant, remedy].filter((part) => part !== undefined).join(' ');
  return { message, ...(code === undefined ? {} : { code }), ...(advice === '' ? {} : { remedy: advice }) };
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
