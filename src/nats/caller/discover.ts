import { MessageInvalidError, NoAnswerError, ReplyInvalidError } from '../../errors.ts';
import { type AgentCard, decode, discoverySubject, encode, MESSAGE, requestHeader } from '../../protocol/index.ts';
import type { Connection } from '../connection.ts';
import { mintId } from '../ids.ts';
import { converse } from './converse.ts';
import { requestOf, throwIfRefused } from './status.ts';

export interface DiscoverOptions {
  /** Whom we claim to be: an identity. */
  readonly sender: string;
  /** Bounds the whole, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface Discovered {
  readonly card: AgentCard;
  /** From sending to the arrival of the card, in milliseconds. */
  readonly rttMs: number;
}

/**
 * Fetches the card of an agent. Throws IdentityInvalidError for an illegal name before anything is sent,
 * NoRespondersError, NoAnswerError, RequestRefusedError, ReplyInvalidError for an unusable card, and what a connection
 * can fail with.
 */
export async function discover(
  connection: Connection,
  identity: string,
  options: DiscoverOptions,
): Promise<Discovered> {
  const subject = discoverySubject(identity);
  const { sender, timeoutMs, signal } = options;
  const header = requestHeader({
    protocol: MESSAGE.discoveryRequest,
    sender,
    recipient: identity,
    now: Date.now(),
    mintId,
  });
  const body = encode(header, connection.bodyLimit);
  const started = performance.now();
  return converse<Discovered>(connection, {
    subject,
    body,
    signal,
    flushMs: timeoutMs,
    open: (turn) => turn.expect(timeoutMs, () => new NoAnswerError(`no card on ${subject} within ${timeoutMs} ms`)),
    heard: (msg, turn) => {
      throwIfRefused(msg, subject);
      const request = requestOf(msg.data);
      if (request !== undefined && request !== header.request) return;
      turn.done({ card: readCard(msg.data, identity), rttMs: performance.now() - started });
    },
  });
}

function readCard(body: Uint8Array, identity: string): AgentCard {
  try {
    return decode(body, [MESSAGE.discoveryReply]).message as AgentCard;
  } catch (error) {
    if (!(error instanceof MessageInvalidError)) throw error;
    throw new ReplyInvalidError(`the card of ${identity} is unusable: ${error.message}`, { cause: error });
  }
}
