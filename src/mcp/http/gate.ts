import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, refusal } from './answer.ts';
import { allowOrigin, METHODS, preflight } from './cors.ts';
import type { Places } from './places.ts';

export interface GateOptions {
  readonly places: Places;
  /** Beyond loopback a probe of health may name any host. */
  readonly loopback: boolean;
  /** Absent when no token is asked for. */
  readonly carriesToken?: (header: string | undefined) => boolean;
  /** What is counted of a refusal. */
  readonly refused: (code: 'host' | 'origin' | 'token') => void;
}

const PATHS = new Set(['/', '/mcp']);

/** Headers that decide who may call. A second one could be read by a proxy in front of us where we read the first. */
const SINGLE = ['host', 'origin', 'authorization', 'content-type', 'mcp-session-id', 'mcp-protocol-version'];

/**
 * Decides by its head alone whether a request goes on to the protocol. Gives the answer when it does not. Nothing of a body
 * is read before.
 */
export function gate(request: IncomingMessage, response: ServerResponse, options: GateOptions): Answer | undefined {
  const { headers, method = '' } = request;
  const path = request.url?.split('?', 1)[0] ?? '';
  const health = path === '/healthz';
  for (const name of SINGLE) {
    if ((request.headersDistinct[name]?.length ?? 0) > 1) return refusal(400, `more than one ${name} header`);
  }
  if (!(health && !options.loopback) && !options.places.host(headers.host)) {
    options.refused('host');
    return refusal(403, 'the Host header names another host; see expose.agent.mcp.allowed_hosts');
  }
  const { origin } = headers;
  const foreign = origin !== undefined && !options.places.origin(origin);
  if (origin !== undefined && !foreign) allowOrigin(response, origin);
  if (method === 'OPTIONS' && origin !== undefined && !foreign && PATHS.has(path)) return preflight(request);
  if (foreign) {
    options.refused('origin');
    if (method !== 'OPTIONS') {
      return refusal(403, 'pages of this origin may not call; see expose.agent.mcp.allowed_origins');
    }
  }
  if (health) {
    const reads = method === 'GET' || method === 'HEAD';
    return reads ? { status: 200, body: { live: true } } : notAllowed('GET, HEAD');
  }
  if (!PATHS.has(path)) return refusal(404, 'there is nothing at this path; MCP is served at / and /mcp');
  if (!METHODS.split(', ').includes(method)) return notAllowed(METHODS);
  if (options.carriesToken?.(headers.authorization) === false) {
    options.refused('token');
    const wrong = headers.authorization === undefined ? '' : ', error="invalid_token"';
    return refusal(401, 'a bearer token is needed', { headers: { 'WWW-Authenticate': `Bearer realm="mcp"${wrong}` } });
  }
  return undefined;
}

function notAllowed(methods: string): Answer {
  return refusal(405, 'this method is not allowed here', { headers: { Allow: methods } });
}
