import { ArgumentsInvalidError, CommandTimeoutError } from '../errors.ts';
import type { ToolReplyBody } from '../protocol/index.ts';
import { DeferredEnding, PromptAbortedEnding } from '../tools/index.ts';

/** The reply for a call that did not run cleanly. A command that ran and exited non-zero is none of these. */
export function failureReply(error: unknown, tool: string, timeout: string): ToolReplyBody {
  if (error instanceof ArgumentsInvalidError) {
    return { isError: true, code: 'invalid_input', output: error.message };
  }
  if (error instanceof CommandTimeoutError) {
    return { isError: true, code: 'timeout', output: timeoutText(tool, timeout, error.partial.output) };
  }
  if (error instanceof DeferredEnding || error instanceof PromptAbortedEnding) {
    // What the tool says about it would name a conversation that this caller does not have.
    return {
      isError: true,
      code: 'deferred_unsupported',
      output: `the tool ${tool} would answer later or ask an operator, which a call over NATS cannot wait for`,
    };
  }
  return { isError: true, output: error instanceof Error ? error.message : String(error) };
}

/** Says what became of the call first, then hands over what the command had written. */
function timeoutText(tool: string, timeout: string, output: string): string {
  const reason =
    `the tool ${tool} did not end within ${timeout} and was ended; its work may be incomplete, ` +
    'and the same call will end the same way';
  return output === '' ? `${reason}. It wrote nothing.` : `${reason}. What it wrote until then:\n${output}`;
}
