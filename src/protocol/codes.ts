/** Marks the last message of a reply set. Readers compare the name with its case, so it is never canonicalised. */
export const STREAM_FINAL_HEADER = 'Fisk-AI-Stream-Final';

/** Carries the number of a refusal that came before anything was accepted. */
export const SERVICE_ERROR_CODE_HEADER = 'Nats-Service-Error-Code';

/** Carries the text of such a refusal. */
export const SERVICE_ERROR_HEADER = 'Nats-Service-Error';

/** Our name for ourselves: the value of `implementation` in service metadata. */
export const IMPLEMENTATION = 'fisk-ts';

/**
 * Why a call did not run to its end.
 *
 * - `capacity`: every slot was taken, nothing was started.
 * - `draining`: the worker is leaving, nothing was started.
 * - `interrupted`: the worker left while the command ran, its outcome is unknown.
 * - `timeout`: the command was ended at its deadline.
 */
export type ReplyCode =
  | 'capacity'
  | 'unknown_tool'
  | 'invalid_input'
  | 'timeout'
  | 'deferred_unsupported'
  | 'interrupted'
  | 'draining';

/** The numbers of a refusal before anything was accepted: bad message, no such question, cannot reply. */
export type RefusalStatus = 400 | 404 | 500;
