import { LONGEST_NAME } from '../../host/index.ts';
import { logText } from '../../observe/index.ts';
import type { CallRequest } from './request.ts';

const LONGEST_CLIENT = 200;

/** What joins the log lines of one call. What a client calls itself is a claim, and a text of any length: it is cut. */
export function callFields(request: CallRequest, kind: string): Record<string, unknown> {
  const { session, connection } = request.client;
  return {
    request: String(request.id).slice(0, LONGEST_NAME),
    ...(request.clientName !== undefined && { client: logText(request.clientName.slice(0, LONGEST_CLIENT)) }),
    caller_verified: request.client.tokenHolder !== undefined,
    ...(session === undefined ? { connection } : { session }),
    tool: request.name.slice(0, LONGEST_NAME),
    kind,
  };
}
