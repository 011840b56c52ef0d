/** An MCP client that writes what a test wants and reads what comes, one message a line. */
import type { Readable, Writable } from 'node:stream';

// biome-ignore lint/suspicious/noExplicitAny: messages that a test takes apart
export type Json = any;

/** How long an answer may take, in ms. */
const ANSWER_MS = 20_000;

const ENVELOPE = 'io.modelcontextprotocol/';

export class RawMcp {
  /** Everything that came, in order. */
  readonly messages: Json[] = [];
  /** Lines that were no JSON. */
  readonly noise: string[] = [];
  /** Answers questions of the server; without it they stay unanswered. */
  onRequest: ((request: Json) => Json | undefined) | undefined;
  readonly #to: Writable;
  readonly #waiting = new Set<(message: Json) => void>();
  #rest = '';
  #id = 0;

  constructor(from: Readable, to: Writable) {
    this.#to = to;
    from.setEncoding('utf8');
    from.on('data', (text: string) => this.#read(text));
    to.on('error', () => {});
  }

  text(text: string): void {
    this.#to.write(text);
  }

  send(message: object): void {
    this.text(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request and gives the whole answer. */
  async request(method: string, params?: object, id: string | number = ++this.#id): Promise<Json> {
    const from = this.messages.length;
    this.send({ id, method, ...(params && { params }) });
    return this.answer(id, from);
  }

  /** The answer with that id, among those that came after the first `from`. */
  answer(id: string | number, from = 0): Promise<Json> {
    const isIt = (message: Json) => message.id === id && message.method === undefined;
    const there = this.messages.slice(from).find(isIt);
    if (there !== undefined) return Promise.resolve(there);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`waited ${ANSWER_MS} ms in vain for an answer to ${id}`));
      }, ANSWER_MS);
      const look = (message: Json) => {
        if (!isIt(message)) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(message);
      };
      this.#waiting.add(look);
    });
  }

  /** Opens a session of an older revision. */
  async initialize(capabilities: object = {}, protocolVersion = '2025-06-18'): Promise<Json> {
    const clientInfo = { name: 'raw', version: '0' };
    const { result } = await this.request('initialize', { protocolVersion, capabilities, clientInfo });
    this.send({ method: 'notifications/initialized' });
    return result;
  }

  /** The result of a tool call. */
  async call(name: string, args: object = {}, meta?: object): Promise<Json> {
    const params = { name, arguments: args, ...(meta && { _meta: meta }) };
    const { result, error } = await this.request('tools/call', params);
    if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
    return result;
  }

  /** A request of the newest revision, whole answer. */
  modern(method: string, params: object = {}, capabilities: object = { elicitation: { form: {} } }): Promise<Json> {
    const _meta = {
      [`${ENVELOPE}protocolVersion`]: '2026-07-28',
      [`${ENVELOPE}clientInfo`]: { name: 'raw', version: '0' },
      [`${ENVELOPE}clientCapabilities`]: capabilities,
    };
    return this.request(method, { ...params, _meta });
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    let message: Json;
    try {
      message = JSON.parse(line);
    } catch {
      this.noise.push(line);
      return;
    }
    this.messages.push(message);
    for (const look of this.#waiting) look(message);
    if (message.method === undefined || message.id === undefined) return;
    const answer = this.onRequest?.(message);
    if (answer !== undefined) this.send({ id: message.id, ...answer });
  }
}
