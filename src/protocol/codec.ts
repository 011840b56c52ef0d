import { isUtf8 } from 'node:buffer';
import { MessageInvalidError, MessageTooLargeError } from '../errors.ts';
import { isTooDeep } from './depth.ts';
import type { Header } from './header.ts';
import { ANY_EVENT, eventKind, type MESSAGE, type MessageId } from './ids.ts';
import { MAX_BODY_BYTES, MAX_DEPTH } from './limits.ts';
import type { Message } from './messages.ts';
import { parseNumberText } from './numbers.ts';
import { hasSchema } from './schemas.ts';
import { isIdentity } from './subjects.ts';
import { problemWith } from './validate.ts';

/** A message that passed every check. */
export interface Decoded {
  readonly id: MessageId;
  readonly message: Message;
  /** The property `input` once more, with each number as a NumberText. Costs a second parse: ask only when needed. */
  inputSource(): unknown;
}

/**
 * Reads one message. The checks run in this order and the first that fails is thrown as MessageInvalidError: size,
 * UTF-8 and depth, JSON that is one object, an id that is known, the schema of that id, and an id that `accept` lists.
 * Nothing is repaired on the way; unknown properties stay.
 */
export function decode(body: Uint8Array, accept: readonly MessageId[], limit = MAX_BODY_BYTES): Decoded {
  if (body.length > limit)
    throw new MessageInvalidError('size', `the body has ${body.length} bytes, ${limit} are allowed`);
  const text = readText(body);
  const parsed = parseObject(text);
  const id = knownId(parsed);
  const problem = problemWith(id, parsed);
  if (problem !== undefined) throw new MessageInvalidError('schema', problem, senderOf(parsed));
  if (!isAccepted(id, accept)) {
    throw new MessageInvalidError('family', `${id.slice(0, 100)} is not answered here`, senderOf(parsed));
  }
  return {
    id,
    message: parsed as unknown as Message,
    inputSource: () => (parseNumberText(text) as { input?: unknown }).input,
  };
}

/**
 * Writes one message, checked against the same schema as an incoming one. Throws MessageInvalidError for a message
 * that its id does not allow and MessageTooLargeError beyond `limit` bytes.
 */
export function encode(message: Message, limit = MAX_BODY_BYTES): Uint8Array {
  check(message);
  return bounded(JSON.stringify(message), limit);
}

/**
 * Writes a tool request whose input is JSON text of the caller, which goes out character for character so that no
 * digit of a number changes. Blank text and `null` leave `input` out. Throws as {@link encode}.
 */
export function encodeToolRequest(
  header: Header<typeof MESSAGE.toolRequest>,
  name: string,
  inputText: string | undefined,
  limit = MAX_BODY_BYTES,
): Uint8Array {
  const request = { ...header, name };
  const text = inputText?.trim() ?? '';
  if (text === '' || text === 'null') return encode(request, limit);
  if (isTooDeep(Buffer.from(text), MAX_DEPTH - 1)) throw tooDeep();
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    throw new MessageInvalidError('json', `the input is not JSON: ${(error as Error).message}`);
  }
  check({ ...request, input } as Message);
  return bounded(`${JSON.stringify(request).slice(0, -1)},"input":${text}}`, limit);
}

function check(message: Message): void {
  const problem = problemWith(message.protocol, message);
  if (problem !== undefined) throw new MessageInvalidError('schema', problem);
}

function bounded(text: string, limit: number): Uint8Array {
  const body = Buffer.from(text);
  if (body.length > limit) throw new MessageTooLargeError(body.length, limit);
  return body;
}

function readText(body: Uint8Array): string {
  if (body.length === 0) throw new MessageInvalidError('json', 'the body is empty');
  if (!isUtf8(body)) throw new MessageInvalidError('json', 'the body is not UTF-8');
  if (isTooDeep(body, MAX_DEPTH)) throw tooDeep();
  return Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
}

function tooDeep(): MessageInvalidError {
  return new MessageInvalidError('depth', `objects and arrays are nested deeper than ${MAX_DEPTH} levels`);
}

function parseObject(text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's own text quotes the body, which may hold what no header and no log should.
    throw new MessageInvalidError('json', 'the body is not one JSON object');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new MessageInvalidError('json', 'the body is not a JSON object');
  }
  return parsed as Record<string, unknown>;
}

function knownId(parsed: Record<string, unknown>): MessageId {
  const { protocol } = parsed;
  if (typeof protocol !== 'string') {
    throw new MessageInvalidError('protocol', 'property protocol is missing or no string', senderOf(parsed));
  }
  if (hasSchema(protocol) || eventKind(protocol) !== undefined) return protocol as MessageId;
  const shown = JSON.stringify(protocol.slice(0, 100));
  throw new MessageInvalidError('protocol', `protocol ${shown} is not known`, senderOf(parsed));
}

/** The claimed sender of a message that failed a check, for the log: only a legal name gets there. */
function senderOf(parsed: Record<string, unknown>): string | undefined {
  const name = (parsed['sender'] as { name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' && name.length <= 100 && isIdentity(name) ? name : undefined;
}

function isAccepted(id: MessageId, accept: readonly MessageId[]): boolean {
  return accept.includes(id) || (accept.includes(ANY_EVENT) && eventKind(id) !== undefined);
}
