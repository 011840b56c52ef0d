import { MessageInvalidError } from '../../errors.ts';
import { type Logger, logText, type StormLog } from '../../observe/index.ts';
import { type Decoded, decode, type Message, type MessageId } from '../../protocol/index.ts';
import type { ServiceCounts, ServiceRequest } from './request.ts';

export interface ReceiveOptions {
  /** Whose endpoint it is. */
  readonly identity: string;
  /** What the subject carries; anything else is refused. */
  readonly accept: readonly MessageId[];
  readonly counts: ServiceCounts;
  /** Where it is said that a message was refused. */
  readonly storms: StormLog;
  readonly log?: Logger;
}

/** Every message of an answer repeats these two, so they must leave room for what is answered. In characters. */
const MAX_ECHO = 65_536;

/** The message of a request, or undefined when it was malformed and has been refused, logged and counted. */
export function receive(request: ServiceRequest, options: ReceiveOptions): Decoded | undefined {
  let decoded: Decoded;
  try {
    decoded = decode(request.data, options.accept);
    checkEcho(decoded.message, Math.min(MAX_ECHO, request.bodyLimit / 4));
  } catch (error) {
    refuse(request, error, options);
    return undefined;
  }
  request.id = decoded.message.request;
  const recipient = decoded.message.recipient?.name;
  if (recipient !== undefined && recipient !== options.identity) {
    options.counts.foreignRecipients++;
    const sender = logText(decoded.message.sender.name);
    options.log?.info(
      { request: request.id, recipient: logText(recipient), sender },
      'a message for another name is served',
    );
  }
  return decoded;
}

function checkEcho({ conversation, sender }: Message, limit: number): void {
  const length = conversation.length + sender.name.length;
  if (length > limit) {
    throw new MessageInvalidError(
      'size',
      `conversation and sender.name have ${length} characters, ${limit} fit an answer`,
    );
  }
}

function refuse(request: ServiceRequest, error: unknown, options: ReceiveOptions): void {
  const { subject, data } = request;
  if (!(error instanceof MessageInvalidError)) {
    options.log?.error({ subject, error: String(error) }, 'a message could not be read');
    request.refuse(500, 'the message could not be read');
    return;
  }
  const { malformed } = options.counts;
  malformed.set(error.reason, (malformed.get(error.reason) ?? 0) + 1);
  const { reason, sender = 'unknown', description } = error;
  options.storms.warn('malformed message refused', { code: reason, sender }, () => {
    return { subject, bytes: data.length, class: reason, sender, error: description.slice(0, 200) };
  });
  request.refuse(400, error.description);
}
