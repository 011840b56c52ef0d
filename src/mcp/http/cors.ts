/** What a browser needs to let a page of an allowed origin call. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

export const METHODS = 'GET, POST, DELETE';

const REQUEST_HEADERS =
  'Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';

/** Marks every answer to a page of an allowed origin. */
export function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'Mcp-Session-Id, WWW-Authenticate');
  response.setHeader('Vary', 'Origin');
}

/** The question that a browser asks before the call itself, which never carries a token. */
export function preflight({ headers }: IncomingMessage): Answer {
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': '600',
      ...(headers['access-control-request-private-network'] === 'true'
        ? { 'Access-Control-Allow-Private-Network': 'true' }
        : {}),
    },
  };
}
