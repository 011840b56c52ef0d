import { UsageError } from '../errors.ts';

/**
 * Reads stdin to its end, as UTF-8.
 * @param limit the most bytes that make sense; more is refused rather than kept.
 * @throws {UsageError} for what is too long or no text.
 */
export async function readStdin(limit: number, stream: AsyncIterable<Buffer> = process.stdin): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) throw new UsageError(`what came on stdin is longer than a message can be (${limit} bytes)`);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    // Put right silently, the command would run with other bytes than those that were given.
    throw new UsageError('what came on stdin is not UTF-8 text; JSON can hold no other bytes');
  }
}
