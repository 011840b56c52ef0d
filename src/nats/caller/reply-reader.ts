import type { Msg } from '@nats-io/nats-core';
import { MessageInvalidError, ReplyIncompleteError, ReplyInvalidError } from '../../errors.ts';
import {
  type Ack,
  ANY_EVENT,
  type Decoded,
  decode,
  eventKind,
  isKnownEvent,
  MESSAGE,
  type OtherEvent,
  STREAM_FINAL_HEADER,
  type StatusEvent,
  type ToolReply,
} from '../../protocol/index.ts';
import { requestOf, throwIfRefused } from './status.ts';

/** What one message of a reply set turned out to be. */
export type Heard =
  | { readonly type: 'stray' }
  | { readonly type: 'ack'; readonly message: Ack }
  | { readonly type: 'event'; readonly message: StatusEvent | OtherEvent }
  | { readonly type: 'reply'; readonly message: ToolReply };

const ACCEPTED = [MESSAGE.ack, MESSAGE.toolReply, ANY_EVENT];

/** Reads the messages that answer one tool call, in the order they arrive. */
export class ReplyReader {
  readonly #subject: string;
  readonly #request: string;
  #acked = false;

  constructor(subject: string, request: string) {
    this.#subject = subject;
    this.#request = request;
  }

  /**
   * One message. Throws NoRespondersError, RequestRefusedError, ReplyInvalidError for what has no place in the set, and
   * ReplyIncompleteError when the set ends without its result, or with one that nobody can read. A message of another
   * request is a stray.
   */
  read(msg: Msg): Heard {
    throwIfRefused(msg, this.#subject);
    const isLast = (msg.headers?.get(STREAM_FINAL_HEADER) ?? '') !== '';
    const request = requestOf(msg.data);
    if (isLast && request === undefined) throw this.#incomplete();
    if (request !== this.#request) return { type: 'stray' };
    const heard = this.#judge(this.#decode(msg.data));
    if (isLast && heard.type !== 'reply') throw this.#incomplete();
    return heard;
  }

  #decode(body: Uint8Array): Decoded {
    try {
      return decode(body, ACCEPTED);
    } catch (error) {
      if (error instanceof MessageInvalidError) throw this.#invalid(error.message, error);
      throw error;
    }
  }

  #judge({ id, message }: Decoded): Heard {
    if (id === MESSAGE.toolReply) return { type: 'reply', message: message as ToolReply };
    if (id === MESSAGE.ack) {
      if (this.#acked) throw this.#invalid('it acknowledged the call twice');
      this.#acked = true;
      return { type: 'ack', message: message as Ack };
    }
    if (message.must_understand && !isKnownEvent(eventKind(id) ?? '')) {
      throw this.#invalid(`it sent ${id.slice(0, 100)}, which must be understood and is not known here`);
    }
    return { type: 'event', message: message as StatusEvent | OtherEvent };
  }

  #incomplete(): ReplyIncompleteError {
    return new ReplyIncompleteError(`the answers from ${this.#subject} ended without a result`);
  }

  #invalid(what: string, cause?: Error): ReplyInvalidError {
    return new ReplyInvalidError(`the answer from ${this.#subject} breaks the protocol: ${what}`, { cause });
  }
}
