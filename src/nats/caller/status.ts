import type { Msg } from '@nats-io/nats-core';
import { NoRespondersError, RequestRefusedError } from '../../errors.ts';
import { SERVICE_ERROR_CODE_HEADER, SERVICE_ERROR_HEADER } from '../../protocol/index.ts';

/**
 * Throws what the headers of an answer say before its body counts: NoRespondersError when the server found nobody
 * listening, RequestRefusedError when the agent refused the request unseen.
 */
export function throwIfRefused(msg: Msg, subject: string): void {
  const { headers } = msg;
  if (headers === undefined) return;
  if (headers.code === 503 && msg.data.length === 0) throw new NoRespondersError(`nobody listens on ${subject}`);
  const code = headers.get(SERVICE_ERROR_CODE_HEADER);
  if (code === '') return;
  const description = headers.get(SERVICE_ERROR_HEADER);
  const status = Number(code);
  throw new RequestRefusedError(`the request to ${subject} was refused: ${code} ${description}`, status, description);
}

/** The `request` a body names, or undefined when it cannot be read that far. */
export function requestOf(body: Uint8Array): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
    const request = (parsed as { request?: unknown } | null)?.request;
    return typeof request === 'string' ? request : undefined;
  } catch {
    return undefined;
  }
}
