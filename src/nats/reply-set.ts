import type { Logger } from '../observe/index.ts';
import {
  encode,
  encodeFitting,
  type Header,
  MESSAGE,
  type Message,
  type MessageId,
  replyHeader,
  shortenText,
  type ToolReplyBody,
  toolReply,
} from '../protocol/index.ts';
import { mintId } from './ids.ts';
import type { ServiceRequest } from './micro/request.ts';

/** How often a caller hears that its command still runs, in milliseconds. */
export const KEEPALIVE_MS = 10_000;

const MAX_REASON_BYTES = 1_024;

export interface ReplySetOptions {
  /** The identity that answers. */
  readonly sender: string;
  readonly log?: Logger;
}

/**
 * All messages that answer one tool call: an acknowledgement, signs of life, one final reply. It owns their numbers,
 * which run without holes over what really went out, and lets nothing follow the final reply. No method throws; each
 * returns whether the message went out.
 */
export class ReplySet {
  readonly #request: ServiceRequest;
  readonly #header: Header;
  readonly #options: ReplySetOptions;
  #sent = 0;
  #acked = false;
  /** Whether the final reply was attempted. */
  #settled = false;
  #keepalive: NodeJS.Timeout | undefined;

  constructor(request: ServiceRequest, header: Header, options: ReplySetOptions) {
    this.#request = request;
    this.#header = header;
    this.#options = options;
  }

  /** Sends the acknowledgement, which comes first and once. A refusal still needs its {@link reply}. */
  ack(accepted: boolean, reason?: string): boolean {
    if (this.#acked || this.#settled) return false;
    this.#acked = true;
    const header = this.#next(MESSAGE.ack);
    return this.#send(reason === undefined ? { ...header, accepted } : refusal(header, accepted, reason));
  }

  /** Resolves when the messages so far have left for the server; false when one did not. */
  sent(): Promise<boolean> {
    return this.#request.sent();
  }

  /** Says what is going on. Not sent before the acknowledgement, nor while there is no connection. */
  status(phase: string): boolean {
    if (!this.#acked || this.#settled || !this.#request.connected) return false;
    return this.#send({ ...this.#next(MESSAGE.eventStatus), block: { phase } });
  }

  /**
   * Sends a status every `everyMs` from now on, until the final reply or until one cannot be sent. A round during
   * which there is no connection is left out and ends nothing.
   */
  keepAlive(phase: string, everyMs = KEEPALIVE_MS): void {
    this.#stopKeepalive();
    if (this.#settled) return;
    this.#keepalive = setInterval(() => {
      if (this.#request.connected && !this.status(phase)) this.#stopKeepalive();
    }, everyMs);
    // What a call waits for keeps the process up, not the clock beside it.
    this.#keepalive.unref();
  }

  /** Ends the set, whatever became of the messages before. Text that does not fit is shortened, never the reply left out. */
  reply(body: ToolReplyBody): boolean {
    if (this.#settled) return false;
    this.#stopKeepalive();
    this.#settled = true;
    try {
      const message = toolReply(this.#next(MESSAGE.toolReply), body);
      if (!this.#request.end((limit) => encodeFitting(message, limit))) return false;
      this.#sent++;
      return true;
    } catch (error) {
      this.#unsendable(error);
      return this.#request.refuse(500, 'the reply could not be written');
    }
  }

  #next<P extends MessageId>(protocol: P): Header<P> {
    const sequence = this.#sent + 1;
    return replyHeader(this.#header, { protocol, sequence, sender: this.#options.sender, now: Date.now(), mintId });
  }

  #send(message: Message): boolean {
    try {
      if (!this.#request.send(encode(message, this.#request.bodyLimit))) return false;
      this.#sent++;
      return true;
    } catch (error) {
      this.#unsendable(error);
      return false;
    }
  }

  #unsendable(error: unknown): void {
    const fields = { request: this.#header.request, error: error instanceof Error ? error.message : String(error) };
    this.#options.log?.error(fields, 'a message could not be written');
  }

  #stopKeepalive(): void {
    clearInterval(this.#keepalive);
    this.#keepalive = undefined;
  }
}

function refusal(header: Header<typeof MESSAGE.ack>, accepted: boolean, reason: string): Message {
  return { ...header, accepted, reason: shortenText(reason, MAX_REASON_BYTES) };
}
