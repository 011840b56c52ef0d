import { Writable } from 'node:stream';
import { Channel, type Terminal } from '../../src/cli/render/terminal.ts';

/** A terminal that keeps what is written, for looking at it. */
export interface MemoryTerminal extends Terminal {
  readonly stdout: () => string;
  readonly stderr: () => string;
}

export function memoryTerminal({ isTerminal = false, env = {} as NodeJS.ProcessEnv } = {}): MemoryTerminal {
  const [out, readOut] = memory(isTerminal);
  const [err, readErr] = memory(isTerminal);
  return { out: new Channel(out, env), err: new Channel(err, env), stdout: readOut, stderr: readErr };
}

function memory(isTTY: boolean): [Writable & { isTTY: boolean }, () => string] {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return [Object.assign(stream, { isTTY }), () => Buffer.concat(chunks).toString()];
}
