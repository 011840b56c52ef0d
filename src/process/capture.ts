import { CommandCancelledError, CommandTimeoutError } from '../errors.ts';
import { endGroup } from './end.ts';
import { liveGroups } from './groups.ts';
import { silentLog } from './log.ts';
import { openPipes, type Pipe, startPiped } from './pipes.ts';
import { PipeReader } from './reader.ts';
import type { CommandSpec } from './run.ts';
import { checkStartable } from './start-errors.ts';
import { checkWanted, supervise } from './supervise.ts';

/** A run whose two streams are kept apart, each with a bound of its own. */
export interface CaptureSpec extends CommandSpec {
  /** Bytes of stdout that are kept. A command that writes more is ended: nothing it could add would be of use. */
  readonly stdoutLimit: number;
  /** Bytes of stderr that are kept; what comes after is read and dropped. */
  readonly stderrLimit: number;
}

export interface CaptureResult {
  /** −1 when a signal ended it, or we did. */
  readonly exitCode: number;
  readonly signal: string | null;
  readonly stdout: Buffer;
  /** More than `stdoutLimit` bytes were written; look at this before the exit code. */
  readonly stdoutOverflow: boolean;
  readonly stderr: Buffer;
}

const LAST_READ_MS = 100;

/**
 * Runs a command to its end with stdout and stderr in a pipe each.
 * @throws as `runCommand`; the partial output of its errors is what came on stderr.
 */
export async function captureCommand(spec: CaptureSpec): Promise<CaptureResult> {
  checkStartable(spec.path, spec.args, spec.cwd);
  checkWanted(spec.path, spec.signal);
  const timeoutMs = spec.timeoutMs ?? 0;
  const full = new AbortController();
  const stdout = new Bounded(spec.stdoutLimit, () => full.abort());
  const stderr = new Bounded(spec.stderrLimit);
  const { child, readers } = await start(spec, stdout, stderr, timeoutMs);
  try {
    const signal = spec.signal === undefined ? full.signal : AbortSignal.any([spec.signal, full.signal]);
    const ending = await supervise(child, timeoutMs, signal);
    if (ending.by !== 'exit') await endGroup(child, spec.log ?? silentLog);
    if (ending.by !== 'exit' && !stdout.overflow) {
      await Promise.all(readers.map((reader) => reader.finish(LAST_READ_MS)));
      const partial = { output: stderr.bytes().toString(), truncated: stderr.overflow };
      throw ending.by === 'timeout'
        ? new CommandTimeoutError(`${spec.path} did not end within its time limit and was ended`, timeoutMs, partial)
        : new CommandCancelledError(`${spec.path} was ended because it is no longer wanted`, partial);
    }
    await Promise.all(readers.map((reader) => (ending.by === 'exit' ? reader.readOn() : reader.finish(LAST_READ_MS))));
    return {
      ...(ending.by === 'exit' ? ending.status : { exitCode: -1, signal: null }),
      stdout: stdout.bytes(),
      stdoutOverflow: stdout.overflow,
      stderr: stderr.bytes(),
    };
  } finally {
    liveGroups.delete(child);
  }
}

async function start(spec: CaptureSpec, stdout: Bounded, stderr: Bounded, timeoutMs: number) {
  const [out, err] = openPipes(2) as [Pipe, Pipe];
  const child = await startPiped(spec, [out, err], { stdin: null, stdout: out.write, stderr: err.write }, timeoutMs);
  const readers = [
    new PipeReader(out.read, (chunk) => stdout.write(chunk)),
    new PipeReader(err.read, (chunk) => stderr.write(chunk)),
  ];
  return { child, readers };
}

/** The first bytes of a stream, up to a limit. */
class Bounded {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  readonly #onOverflow: () => void;
  overflow = false;

  constructor(limit: number, onOverflow: () => void = () => {}) {
    this.#limit = limit;
    this.#onOverflow = onOverflow;
  }

  write(chunk: Uint8Array): void {
    const room = this.#limit - this.#length;
    if (chunk.length > room && !this.overflow) {
      this.overflow = true;
      this.#onOverflow();
    }
    if (room > 0) {
      const kept = Buffer.from(chunk.subarray(0, room));
      this.#chunks.push(kept);
      this.#length += kept.length;
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks, this.#length);
  }
}
