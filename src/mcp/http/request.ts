import type { IncomingMessage } from 'node:http';

/** The headers that the protocol reads. Nothing else of a request goes further, its token least of all. */
const READ = ['content-type', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';

/** The request as the package wants it. `signal` fires when its client has left. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const name of READ) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  const accept = acceptOf(request.headers.accept);
  if (accept !== undefined) headers.set('accept', accept);
  return new Request('http://localhost/', { method: request.method ?? 'GET', headers, signal });
}

/** Whether a POST says that it takes no JSON, or no stream. One that says nothing takes both. */
export function acceptsTooLittle(header: string | undefined): boolean {
  return header !== undefined && acceptOf(header) !== `${JSON_TYPE}, ${STREAM_TYPE}`;
}

/** Which of the two types of the protocol an Accept header takes; the package knows no wildcards. */
function acceptOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const ranges = new Set(header.split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase()));
  const takes = (type: string) => [type, type.replace(/\/.*/, '/*'), '*/*'].some((range) => ranges.has(range));
  return [JSON_TYPE, STREAM_TYPE].filter(takes).join(', ');
}
