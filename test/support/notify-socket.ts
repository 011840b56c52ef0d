/** A notification socket as a supervisor has it. Node cannot read such datagrams, so a small program does. */
import { join } from 'node:path';
import { type Running, start } from './run.ts';
import { tempDir } from './tmp.ts';
import { waitFor } from './wait.ts';

export interface Datagram {
  /** Unix ms. */
  readonly at: number;
  /** Who sent it. */
  readonly pid: number;
  readonly lines: readonly string[];
}

export interface NotifySocket {
  readonly address: string;
  /** Everything received so far. */
  datagrams(): Datagram[];
  /** All lines so far, in order. */
  lines(): string[];
  /** Waits for a line that matches. */
  line(pattern: RegExp, timeout?: number): Promise<string>;
  readonly program: Running;
}

/** Listens until the test process ends. */
export async function notifySocket(address = join(tempDir(), 'notify')): Promise<NotifySocket> {
  const program = await start('python3', [join(import.meta.dirname, 'notify-socket.py'), address]);
  await program.printed(/listening/);
  const datagrams = () =>
    program
      .stdout()
      .split('\n')
      .filter((line) => line.startsWith('{"at"') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Datagram);
  const lines = () => datagrams().flatMap((datagram) => datagram.lines);
  return {
    address,
    program,
    datagrams,
    lines,
    line: (pattern, timeout = 10_000) =>
      waitFor(() => lines().find((line) => pattern.test(line)), {
        timeout,
        what: () => `${pattern} in:\n${lines().join('\n')}`,
      }),
  };
}
