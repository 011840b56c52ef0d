import { MAX_HEADER_TEXT } from './limits.ts';

/**
 * The text, or its first `maxBytes` bytes of UTF-8, ended at a character and followed by a line in brackets that says
 * how much is missing. The notice comes on top of `maxBytes`.
 */
export function shortenText(text: string, maxBytes: number): string {
  // No character takes more than three bytes a UTF-16 unit, so most texts need no counting.
  if (text.length * 3 <= maxBytes) return text;
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = Math.max(0, maxBytes);
  while (end > 0 && isContinuation(bytes[end])) end--;
  return `${bytes.toString('utf8', 0, end)}\n[${bytes.length - end} of ${bytes.length} bytes left out]`;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/**
 * Text that may stand in a header: each run of white space and control characters is one space, characters beyond
 * 512 are cut. A line break would make the client throw, and the caller would wait in vain.
 */
export function headerText(text: string): string {
  // Bounded before the pattern runs, since what arrives here may quote a message.
  const line = text
    .slice(0, MAX_HEADER_TEXT * 4)
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, MAX_HEADER_TEXT).join('').trimEnd();
}
