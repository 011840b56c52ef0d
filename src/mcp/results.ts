import type { CallToolResult } from '@modelcontextprotocol/server';
import { commandResult, type Outcome, resultText } from '../tools/index.ts';

/** Why a call has no result of its tool; stable tokens, for programs. */
export type FailureCode =
  | 'invalid_input'
  | 'timeout'
  | 'cancelled'
  | 'deferred_unsupported'
  | 'capacity'
  | 'draining'
  | 'interrupted'
  | 'approval_refused'
  | 'approval_declined'
  | 'approval_dismissed'
  | 'approval_impossible'
  | 'approval_failed';

/** Where a client finds the code of a failure. */
export const CODE_META_KEY = 'fisk/code';

/** The result of a call that ran, whatever its exit code: as text for every client, and as an object for those that read it. */
export function resultOf(outcome: Outcome): CallToolResult {
  const command = commandResult(outcome);
  return {
    content: [{ type: 'text', text: resultText(outcome) }],
    ...(command && { structuredContent: { ...command } }),
  };
}

/** The result of a call that did not. Never a protocol error: a model could not read that. */
export function failureOf(text: string, code?: FailureCode): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    isError: true,
    ...(code && { _meta: { [CODE_META_KEY]: code } }),
  };
}
