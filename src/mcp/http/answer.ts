/** Answers that are ours and not the protocol's. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** An answer with a body of JSON, or without one. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What is left of a body that was refused is still read for so long, in ms, and up to so many bytes. */
const LINGER_MS = 1_000;
const LINGER_BYTES = 8 * 1024 * 1024;

/** A refusal in the form of the protocol. `id` is that of the request, when it could be read. */
export function refusal(
  status: number,
  message: string,
  { code = -32_000, id = null, headers = {} }: { code?: number; id?: unknown; headers?: Record<string, string> } = {},
): Answer {
  return { status, body: { jsonrpc: '2.0', error: { code, message }, id }, headers };
}

/** The id of a single request, as a refusal repeats it. */
export function idOf(message: unknown): unknown {
  const { method, id } = (message ?? {}) as { method?: unknown; id?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

/**
 * Sends an answer. A connection whose request was not read to its end is closed, but only after the client had a moment to see
 * why: a close under a client that is still sending would take the answer away from it.
 */
export function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body, headers }: Answer,
): void {
  const text = body === undefined ? '' : `${JSON.stringify(body)}\n`;
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (text !== '') response.setHeader('Content-Type', 'application/json');
  if (status !== 204) response.setHeader('Content-Length', Buffer.byteLength(text));
  if (request.complete || !hasBody(request)) {
    response.writeHead(status).end(text);
    return;
  }
  response.setHeader('Connection', 'close');
  response.writeHead(status).write(text);
  let left = LINGER_BYTES;
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
  });
  request.on('end', end);
  response.on('close', end);
  request.resume();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
