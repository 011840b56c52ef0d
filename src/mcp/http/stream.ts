import type { ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';
import type { HttpLimits } from './limits.ts';

type Bounds = Pick<HttpLimits, 'unread' | 'unreadTime'>;

/**
 * Writes an answer of the protocol to its client, a stream as it comes. What waits for a client that does not read is
 * bounded in size and in time; one that exceeds either is dropped, and `dropped` is told.
 */
export async function sendResponse(
  answer: Response,
  { response, over }: Exchange,
  bounds: Bounds,
  dropped: () => void,
): Promise<void> {
  const stream = answer.body;
  if (over.aborted) {
    await stream?.cancel();
    return;
  }
  for (const [name, value] of answer.headers) if (name !== 'connection') response.setHeader(name, value);
  if (stream === null || answer.headers.get('content-type') !== 'text/event-stream') {
    const text = await answer.text();
    if (answer.status !== 204) response.setHeader('Content-Length', Buffer.byteLength(text));
    response.writeHead(answer.status).end(text);
    return;
  }
  response.writeHead(answer.status);
  // An answer that is ready at once goes out together with its head; who has to wait for one sees that it was heard.
  const head = setImmediate(() => response.flushHeaders());
  const reader = stream.getReader();
  over.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  const write = boundedWriter(response, bounds, dropped);
  for (;;) {
    const { done, value } = await reader.read();
    clearImmediate(head);
    if (done || response.destroyed) break;
    write(value);
  }
  response.end();
}

/** Writes until too much waits, or has waited for too long; then the connection is gone. */
function boundedWriter(response: ServerResponse, { unread, unreadTime }: Bounds, dropped: () => void) {
  let stalled: NodeJS.Timeout | undefined;
  const drop = () => {
    dropped();
    response.destroy();
  };
  const moved = () => {
    clearTimeout(stalled);
    stalled = undefined;
  };
  response.on('drain', moved);
  response.on('close', moved);
  return (chunk: Uint8Array): void => {
    // Looked at before and not after, so that one long answer alone is never too much.
    if (response.writableLength > unread) drop();
    else if (!response.write(chunk)) stalled ??= setTimeout(drop, unreadTime).unref();
  };
}
