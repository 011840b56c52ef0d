import { UsageError } from '../errors.ts';

/**
 * Reads stdin to its end.
 * @param limit the most bytes that make sense; more is refused rather than kept.
 */
export async function readStdin(limit: number, stream: AsyncIterable<Buffer> = process.stdin): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) throw new UsageError(`what came on stdin is longer than a message can be (${limit} bytes)`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
