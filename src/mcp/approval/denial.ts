import type { CallToolResult } from '@modelcontextprotocol/server';
import { type FailureCode, failureOf } from '../results.ts';
import type { Verdict } from './answer.ts';

/** Why a gated call does not run. */
export type Denial = Exclude<Verdict, 'approved'> | 'impossible' | 'failed';

const CODES: Readonly<Record<Denial, FailureCode>> = {
  refused: 'approval_refused',
  declined: 'approval_declined',
  dismissed: 'approval_dismissed',
  unclear: 'approval_failed',
  impossible: 'approval_impossible',
  failed: 'approval_failed',
};

const TEXTS: Readonly<Record<Denial, string>> = {
  refused: 'a person looked at it and refused. That is their decision: do not call it again.',
  declined: 'the question was declined. Do not call it again; ask the person how to go on.',
  dismissed: 'the question was dismissed without a decision. It may be asked again later.',
  unclear: 'the answer to the question does not say whether the command may run.',
  impossible: 'this client cannot ask a person for it.',
  failed: 'asking for it failed',
};

/** What the caller of a gated command that did not run is told. `reason` goes with `failed`. */
export function denied(denial: Denial, command: string, tag: string, reason = ''): CallToolResult {
  const text = denial === 'failed' ? `${TEXTS.failed}: ${reason}.` : TEXTS[denial];
  return failureOf(`${command} did not run. It needs an approval (${tag}), and ${text}`, CODES[denial]);
}

/** The token of a denial, for the log and for metrics. */
export function denialCode(denial: Denial): FailureCode {
  return CODES[denial];
}
