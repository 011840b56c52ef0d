import { type CallOutcome, logText } from '../../observe/index.ts';
import { isPreparable, type Outcome, type PreparedCall, type Tool, type ToolInput } from '../../tools/index.ts';

/** A call whose arguments fit. What is shown of it is absent for a tool that cannot tell before it runs. */
export type ReadyCall = Partial<Pick<PreparedCall, 'argv' | 'displayLine'>> & Pick<PreparedCall, 'run'>;

/** Judges the arguments of a call as far as its tool can before it runs. Throws ArgumentsInvalidError. */
export function prepareCall(tool: Tool, input: ToolInput): ReadyCall {
  if (isPreparable(tool)) return tool.prepare(input);
  return { run: (context, deps) => tool.execute(context, input, deps) };
}

/** What is logged of a command that ran: never its output. */
export function outcomeFields({ exec }: Outcome, durationMs: number): Record<string, unknown> {
  return {
    duration: Math.round(durationMs),
    ...(exec && { command: logText(exec.command), exit_code: exec.exitCode, truncated: exec.truncated }),
    ...(exec?.signal && { signal: exec.signal }),
  };
}

/** How a call ended that did not fail: a command that ran to its end answers with its code, whatever that is. */
export function endingOf({ exec }: Outcome): CallOutcome {
  return exec === undefined || exec.exitCode === 0 ? 'ok' : 'nonzero';
}

/** Characters of a tool's name that a log line or an answer shows: a name that is no tool's is a stranger's text. */
export const LONGEST_NAME = 128;
