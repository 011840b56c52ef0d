import { CommandCancelledError, CommandTimeoutError } from '../errors.ts';
import { closeQuietly, makePipe } from '../native/index.ts';
import { type Child, startChild } from './child.ts';
import { endGroup } from './end.ts';
import { liveGroups } from './groups.ts';
import { silentLog } from './log.ts';
import { PipeReader } from './reader.ts';
import type { CommandSpec } from './run.ts';
import { checkStartable, pipeError } from './start-errors.ts';
import { checkWanted, supervise } from './supervise.ts';

/** A run whose two streams are kept apart, each with a bound of its own. */
export interface CaptureSpec extends CommandSpec {
  /** Bytes of stdout that are kept. */
  readonly stdoutLimit: number;
  /** Bytes of stderr that are kept; what comes after is read and dropped. */
  readonly stderrLimit: number;
}

export interface CaptureResult {
  /** −1 when a signal ended it. */
  readonly exitCode: number;
  readonly signal: string | null;
  readonly stdout: Buffer;
  /** More than `stdoutLimit` bytes were written; the rest was read, so that the command could end, and dropped. */
  readonly stdoutOverflow: boolean;
  readonly stderr: Buffer;
  readonly durationMs: number;
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
  const stdout = new Bounded(spec.stdoutLimit);
  const stderr = new Bounded(spec.stderrLimit);
  const { child, readers } = await startPiped(spec, stdout, stderr, timeoutMs);
  try {
    const ending = await supervise(child, timeoutMs, spec.signal);
    if (ending.by !== 'exit') {
      await endGroup(child, spec.log ?? silentLog);
      await Promise.all(readers.map((reader) => reader.finish(LAST_READ_MS)));
      const partial = { output: stderr.bytes().toString(), truncated: stderr.overflow };
      throw ending.by === 'timeout'
        ? new CommandTimeoutError(`${spec.path} did not end within its time limit and was ended`, timeoutMs, partial)
        : new CommandCancelledError(`${spec.path} was ended because it is no longer wanted`, partial);
    }
    await Promise.all(readers.map((reader) => reader.readOn()));
    return {
      ...ending.status,
      stdout: stdout.bytes(),
      stdoutOverflow: stdout.overflow,
      stderr: stderr.bytes(),
      durationMs: performance.now() - child.startedAt,
    };
  } finally {
    liveGroups.delete(child);
  }
}

async function startPiped(
  spec: CaptureSpec,
  stdout: Bounded,
  stderr: Bounded,
  timeoutMs: number,
): Promise<{ child: Child; readers: PipeReader[] }> {
  const out = makePipe();
  if ('errno' in out) {
    throw pipeError(out.errno);
  }
  const err = makePipe();
  if ('errno' in err) {
    closeQuietly(out.read, out.write);
    throw pipeError(err.errno);
  }
  try {
    const child = await startChild(spec, { stdin: null, stdout: out.write, stderr: err.write }, timeoutMs);
    const readers = [
      new PipeReader(out.read, (chunk) => stdout.write(chunk)),
      new PipeReader(err.read, (chunk) => stderr.write(chunk)),
    ];
    return { child, readers };
  } catch (error) {
    closeQuietly(out.read, err.read);
    throw error;
  } finally {
    closeQuietly(out.write, err.write);
  }
}

/** The first bytes of a stream, up to a limit. */
class Bounded {
  readonly #limit: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  overflow = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  write(chunk: Uint8Array): void {
    const room = this.#limit - this.#length;
    this.overflow ||= chunk.length > room;
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
