import { ArgumentsInvalidError, CommandCancelledError, CommandTimeoutError } from '../../errors.ts';
import type { Surface } from '../../observe/index.ts';
import { DeferredEnding, PromptAbortedEnding } from '../../tools/index.ts';

/** What a caller is told of a call that did not run cleanly. */
export interface CallFailure {
  /** Absent for a failure of the tool itself. */
  readonly code?: 'invalid_input' | 'timeout' | 'cancelled' | 'deferred_unsupported';
  readonly text: string;
}

/** Which call it was. */
export interface FailedCall {
  readonly tool: string;
  /** The bound of the call, as text. */
  readonly timeout: string;
  readonly surface: Surface;
}

const OVER: Readonly<Record<Surface, string>> = { a2a: 'NATS', mcp: 'MCP' };

/** Tells why a call failed. A command that ran and exited non-zero has not failed. */
export function describeFailure(error: unknown, { tool, timeout, surface }: FailedCall): CallFailure {
  if (error instanceof ArgumentsInvalidError) {
    return { code: 'invalid_input', text: error.message };
  }
  if (error instanceof CommandTimeoutError) {
    const reason =
      `the tool ${tool} did not end within ${timeout} and was ended; its work may be incomplete, ` +
      'and the same call will end the same way';
    return { code: 'timeout', text: withOutput(reason, error.partial.output) };
  }
  if (error instanceof CommandCancelledError) {
    const reason = `the call of ${tool} was cancelled and its command ended; its work may be incomplete`;
    return { code: 'cancelled', text: withOutput(reason, error.partial.output) };
  }
  if (error instanceof DeferredEnding || error instanceof PromptAbortedEnding) {
    // What the tool says about it would name a conversation that this caller does not have.
    return {
      code: 'deferred_unsupported',
      text: `the tool ${tool} would answer later or ask an operator, which a call over ${OVER[surface]} cannot wait for`,
    };
  }
  return { text: error instanceof Error ? error.message : String(error) };
}

/** What became of the call first, then what the command had written. */
export function withOutput(reason: string, output: string): string {
  return output === '' ? `${reason}. It wrote nothing.` : `${reason}. What it wrote until then:\n${output}`;
}

/** The first line of an error, fit for the log. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '').slice(0, 200) : String(error);
}
