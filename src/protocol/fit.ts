import { MessageTooLargeError } from '../errors.ts';
import { encode } from './codec.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import type { ToolReply } from './messages.ts';
import { shortenText } from './text.ts';

/**
 * Writes the final message of a call so that it fits: where the whole is over `limit` bytes, output and command line
 * are shortened. A caller gets a short answer rather than none.
 * Throws MessageTooLargeError only when `limit` has no room for the header itself.
 */
export function encodeFitting(reply: ToolReply, limit = MAX_BODY_BYTES): Uint8Array {
  let fitting = reply;
  for (;;) {
    try {
      return encode(fitting, limit);
    } catch (error) {
      if (!(error instanceof MessageTooLargeError)) throw error;
      const shorter = shorten(fitting, reply, limit / error.bytes);
      if (shorter === undefined) throw error;
      fitting = shorter;
    }
  }
}

/** Cuts the longer of the two texts to a little less than its share, from the original so that notices do not pile up. */
function shorten(current: ToolReply, original: ToolReply, share: number): ToolReply | undefined {
  const output = current.output?.length ?? 0;
  const command = current.exec?.command.length ?? 0;
  if (output === 0 && command === 0) return undefined;
  if (output >= command) return withOutput(current, cut(original.output ?? '', output, share));
  return withCommand(current, cut(original.exec?.command ?? '', command, share));
}

/** Below this many bytes the notice about what is missing would be most of the text. */
const SHORTEST_CUT = 128;

function cut(text: string, length: number, share: number): string {
  const room = Math.floor(length * share * 0.95) - SHORTEST_CUT;
  return room < SHORTEST_CUT ? '' : shortenText(text, room);
}

function withOutput(reply: ToolReply, output: string): ToolReply {
  const { output: _, ...rest } = reply;
  return output === '' ? rest : { ...rest, output };
}

function withCommand(reply: ToolReply, command: string): ToolReply {
  return reply.exec === undefined ? reply : { ...reply, exec: { ...reply.exec, command } };
}
