import type { IncomingMessage } from 'node:http';

/** What became of reading a body: its value, or the status of the refusal. `gone`: the client is no longer there. */
export type Body = { readonly value: unknown } | { readonly refused: 400 | 413 } | 'gone';

/** Reads a body of JSON up to a bound in bytes, which holds for bodies that do not say how long they are, too. */
export async function readJson(request: IncomingMessage, most: number): Promise<Body> {
  const bytes = await read(request, most);
  if (!Buffer.isBuffer(bytes)) return bytes;
  try {
    // Text with bytes that mean nothing would run a command with other arguments than were sent.
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    return { refused: 400 };
  }
}

function read(request: IncomingMessage, most: number): Promise<Buffer | { refused: 413 } | 'gone'> {
  if (Number(request.headers['content-length'] ?? 0) > most) return Promise.resolve({ refused: 413 });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= most) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take);
      request.pause();
      resolve({ refused: 413 });
    };
    request.on('data', take);
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });
}
