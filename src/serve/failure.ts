import { describeFailure } from '../host/index.ts';
import type { ToolReplyBody } from '../protocol/index.ts';

/** The reply for a call that did not run cleanly. A command that ran and exited non-zero is none of these. */
export function failureReply(error: unknown, tool: string, timeout: string): ToolReplyBody {
  const { code, text } = describeFailure(error, { tool, timeout, surface: 'a2a' });
  // No call over NATS is cancelled: what ended one is a second signal, which no code tells.
  return { isError: true, ...(code && code !== 'cancelled' && { code }), output: text };
}
