/** Requests of the protocol written by hand, for what no well-behaved client would send. */
import { createParser } from './sse.ts';

export const OLDER = '2025-11-25';
export const NEWER = '2026-07-28';

/** What may differ from what a client of an older revision sends. */
export interface PostOptions {
  readonly session?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly path?: string;
}

/** Posts a message, or text that is meant to be none. */
export function post(url: string, message: unknown, { session, headers, signal, path = '' }: PostOptions = {}) {
  return fetch(url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });
}

export function request(id: unknown, method: string, params: object = {}) {
  return { jsonrpc: '2.0', id, method, params };
}

export function initialize(capabilities: object = {}, protocolVersion = OLDER) {
  return request(0, 'initialize', { protocolVersion, capabilities, clientInfo: { name: 'by hand', version: '1' } });
}

export function call(id: unknown, name: string, args: object = {}, meta?: object) {
  return request(id, 'tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });
}

/** A request of the newest revision: its body says everything, and its headers say it again. */
export function newer(url: string, message: ReturnType<typeof request>, options: PostOptions = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': NEWER,
    'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = message.params as { name?: string; _meta?: object };
  return post(
    url,
    { ...message, params: { ...params, _meta: { ...meta, ...params._meta } } },
    {
      ...options,
      headers: {
        'MCP-Protocol-Version': NEWER,
        'Mcp-Method': message.method,
        ...(params.name === undefined ? {} : { 'Mcp-Name': params.name }),
        ...options.headers,
      },
    },
  );
}

/** Opens a session of an older revision and gives its id. */
export async function openSession(url: string, capabilities: object = {}, options: PostOptions = {}): Promise<string> {
  const answer = await post(url, initialize(capabilities), options);
  const session = answer.headers.get('mcp-session-id');
  await answer.text();
  if (session === null) throw new Error(`no session: ${answer.status}`);
  await (await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, { ...options, session })).text();
  return session;
}

/** All messages of an answer that came as a stream or as one message. */
export async function messagesOf(answer: Response): Promise<Record<string, unknown>[]> {
  const text = await answer.text();
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) return [JSON.parse(text)];
  return createParser().push(text);
}

/** The messages of a stream as they come. */
export async function* messagesFrom(answer: Response): AsyncGenerator<Record<string, unknown>> {
  const parser = createParser();
  const text = (answer.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream());
  for await (const chunk of text) yield* parser.push(chunk);
}
