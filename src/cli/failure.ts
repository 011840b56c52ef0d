import { FiskError } from '../errors.ts';

/** Why a command got no result, for programs. */
export type FailureClass =
  | 'usage'
  | 'configuration'
  | 'connection'
  | 'no_responders'
  | 'unknown_tool'
  | 'timeout'
  | 'refused'
  | 'invalid'
  | 'canceled'
  | 'error';

const CLASSES = new Map<string, FailureClass>([
  ['FISK_USAGE', 'usage'],
  ['FISK_IDENTITY_INVALID', 'usage'],
  ['FISK_CONTEXT_MISSING', 'configuration'],
  ['FISK_NATS_CONTEXT', 'configuration'],
  ['FISK_CONFIG_INVALID', 'configuration'],
  ['FISK_CONFIG_UNREADABLE', 'configuration'],
  ['FISK_NATS_CONNECT', 'connection'],
  ['FISK_NATS_CONNECTION_LOST', 'connection'],
  ['FISK_NATS_NOT_PERMITTED', 'refused'],
  ['FISK_REQUEST_REFUSED', 'refused'],
  ['FISK_NO_RESPONDERS', 'no_responders'],
  ['FISK_TOOL_UNKNOWN', 'unknown_tool'],
  ['FISK_NO_ANSWER', 'timeout'],
  ['FISK_NO_ACK', 'timeout'],
  ['FISK_PEER_SILENT', 'timeout'],
  ['FISK_CALL_TIMEOUT', 'timeout'],
  ['FISK_CALL_CANCELLED', 'canceled'],
  ['FISK_MESSAGE_TOO_LARGE', 'invalid'],
  ['FISK_REPLY_INVALID', 'invalid'],
  ['FISK_REPLY_INCOMPLETE', 'invalid'],
]);

/** A failure as JSON output shows it. */
export interface FailureJson {
  readonly class: FailureClass;
  /** `FISK_…`, absent for a failure without a name. */
  readonly code?: string;
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
}

/** Sorts a failure into its class. */
export function failureClass(error: unknown): FailureJson {
  if (error instanceof FiskError) {
    return {
      class: CLASSES.get(error.code) ?? 'error',
      code: error.code,
      message: error.message,
      remedy: error.remedy,
    };
  }
  return { class: 'error', message: error instanceof Error ? error.message : String(error) };
}
