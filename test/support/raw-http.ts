/** A connection to write bytes on that no HTTP client would write. */
import { connect, type Socket } from 'node:net';
import { waitFor } from './wait.ts';

export interface RawConnection {
  readonly socket: Socket;
  /** Everything that came so far. */
  readonly text: string;
  readonly closed: boolean;
  write(text: string | Buffer): void;
  /** Waits until what came matches, and gives all of it. */
  until(pattern: RegExp, timeout?: number): Promise<string>;
  /** Waits for the end of the connection, and gives all that came. */
  end(timeout?: number): Promise<string>;
}

export async function rawConnection(port: number, host = '127.0.0.1'): Promise<RawConnection> {
  const socket = connect({ port, host });
  let text = '';
  let closed = false;
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return {
    socket,
    get text() {
      return text;
    },
    get closed() {
      return closed;
    },
    write: (bytes) => void socket.write(bytes),
    until: async (pattern, timeout = 5_000) => {
      await waitFor(() => pattern.test(text), { timeout, what: () => `${pattern} in ${JSON.stringify(text)}` });
      return text;
    },
    end: async (timeout = 5_000) => {
      await waitFor(() => closed, { timeout, what: () => `the end of the connection after ${JSON.stringify(text)}` });
      return text;
    },
  };
}

/** A POST as text. A header of the same name replaces ours; one that is undefined takes it away. */
export function rawPost(body: string, headers: Record<string, string | undefined> = {}, path = '/'): string {
  const all = {
    Host: '127.0.0.1',
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}\r\n`]));
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
