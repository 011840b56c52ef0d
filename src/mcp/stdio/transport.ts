import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import type { StormLog } from '../../observe/index.ts';
import { Lines } from './lines.ts';

export interface StdioLimits {
  /** Bytes of one message. */
  readonly message: number;
  /** Bytes that may wait for the client to read; beyond it nothing more is read of it. */
  readonly unread: number;
}

export interface TransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly limits: StdioLimits;
  readonly storms: StormLog;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * Messages over two streams, one a line. The library's own transport drops the calls in flight when its input ends and
 * keeps a whole message, however long; this one says that the client is gone and leaves the end to whoever serves.
 */
export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** Resolves when the client has closed its end of either stream. */
  readonly gone: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #limits: StdioLimits;
  readonly #storms: StormLog;
  readonly #lines: Lines;
  readonly #leave: () => void;
  #reading = false;
  #closed = false;
  #broken = false;

  constructor({ input, output, limits, storms }: TransportOptions) {
    this.#input = input;
    this.#output = output;
    this.#limits = limits;
    this.#storms = storms;
    this.#lines = new Lines(
      limits.message,
      (line) => this.#line(line),
      () => this.#refuse(INVALID_REQUEST, `a message of more than ${limits.message} bytes was skipped`),
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    this.#leave = resolve;
  }

  async start(): Promise<void> {
    // Left without a listener, a client that went away would be an uncaught exception.
    this.#output.on('error', () => {
      this.#broken = true;
      this.#leave();
    });
    this.#output.on('drain', () => {
      if (this.#reading) this.#input.resume();
    });
    this.#input.on('error', this.#leave);
    this.#input.on('end', this.#leave);
    this.#input.on('close', this.#leave);
    this.#reading = true;
    this.#input.on('data', this.#onData);
    // It may have gone before anybody listened, and says so once.
    if (this.#input.readableEnded || this.#input.destroyed) this.#leave();
  }

  /** Takes no more messages. */
  stopReading(): void {
    this.#reading = false;
    this.#input.off('data', this.#onData);
    this.#input.pause();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed || this.#broken) throw new Error('the client is gone');
    this.#output.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when everything sent was handed over, or cannot be, after `boundMs` at the latest. */
  async flushed(boundMs: number): Promise<void> {
    if (this.#broken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#output.once('error', () => resolve());
    this.#output.write('', () => resolve());
    const timer = setTimeout(resolve, boundMs);
    await promise;
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.stopReading();
    this.onclose?.();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lines.push(chunk);
    // Who does not read gets no more answers to keep for him.
    if (this.#output.writableLength > this.#limits.unread) this.#input.pause();
  };

  #line(bytes: Buffer): void {
    const line = bytes.toString();
    if (line.trim() === '') return;
    let value: unknown;
    try {
      // Put right silently, a command would run with other bytes than those that were sent.
      if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
      value = JSON.parse(line);
    } catch {
      this.#refuse(PARSE_ERROR, 'a line that is no JSON in UTF-8 was skipped');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(INVALID_REQUEST, 'a line that is no message of the protocol was skipped', idOf(value));
      return;
    }
    this.onmessage?.(message);
  }

  /** Says so in the log and to the client, with the id of its request where it can be told. */
  #refuse(code: number, message: string, id?: string | number): void {
    this.#storms.warn('a client sent what is no message', { code: String(code) }, () => ({ code, reason: message }));
    const error = { jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code, message } } as JSONRPCMessage;
    this.send(error).catch(() => {});
  }
}

/** The id of what was meant as a request. That of an answer is one of ours, and must not come back as the client's. */
function idOf(value: unknown): string | number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Object.hasOwn(value, 'id') || !Object.hasOwn(value, 'method')) return undefined;
  const { id } = value as { readonly id: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
