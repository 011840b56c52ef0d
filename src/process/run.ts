import { CommandCancelledError, CommandTimeoutError } from '../errors.ts';
import { CaptureRing } from './capture-ring.ts';
import type { StartSpec } from './child.ts';
import { endGroup } from './end.ts';
import { liveGroups } from './groups.ts';
import { type ProcessLog, silentLog } from './log.ts';
import { openPipes, type Pipe, startPiped } from './pipes.ts';
import { PipeReader } from './reader.ts';
import { checkStartable } from './start-errors.ts';
import { checkWanted, type Ending, supervise } from './supervise.ts';

/** One run of a command. */
export interface CommandSpec extends StartSpec {
  /** Time limit in ms, counted from the call; absent or 0 = none. */
  readonly timeoutMs?: number | undefined;
  /** Ends the command when it fires. */
  readonly signal?: AbortSignal | undefined;
  readonly log?: ProcessLog | undefined;
}

/** What a command that ended by itself leaves behind, whatever its exit code. */
export interface CommandResult {
  /** −1 when a signal ended it. */
  readonly exitCode: number;
  /** The name of that signal. */
  readonly signal: string | null;
  /** Both streams as they were written, within 64 KiB: see {@link CaptureRing}. */
  readonly output: string;
  readonly truncated: boolean;
  /** Bytes that were written and are not in `output`. */
  readonly omittedBytes: number;
  /** Whether something the command started still held its output after it had ended. */
  readonly leftover: boolean;
}

/** How long the pipe of an ended group is given to show its end. */
const LAST_READ_MS = 100;

/**
 * Runs a command to its end: no input, both streams in one pipe so that their order is kept, a process group of its own.
 * @throws {CommandTimeoutError} when its time was up; the group is gone by then and what it wrote is in the error.
 * @throws {CommandCancelledError} likewise, when `signal` fired.
 * @throws the failure to start, as a class that says which. Nothing runs then.
 */
export async function runCommand(spec: CommandSpec): Promise<CommandResult> {
  const log = spec.log ?? silentLog;
  const timeoutMs = spec.timeoutMs ?? 0;
  checkStartable(spec.path, spec.args, spec.cwd);
  checkWanted(spec.path, spec.signal);
  const ring = new CaptureRing();
  const { child, reader } = await start(spec, ring, timeoutMs);
  try {
    const ending = await supervise(child, timeoutMs, spec.signal);
    if (ending.by !== 'exit') {
      await endGroup(child, log);
      await reader.finish(LAST_READ_MS);
      throw endedEarly(ending, spec.path, timeoutMs, ring);
    }
    const leftover = await reader.readOn();
    const captured = ring.finish();
    if (leftover || captured.truncated) {
      log.info(
        { pid: child.pid, leftover, omitted_bytes: captured.omittedBytes },
        leftover ? 'a command ended and left a process that holds its output' : 'the output of a command was shortened',
      );
    }
    return { ...ending.status, ...captured, leftover };
  } finally {
    liveGroups.delete(child);
  }
}

async function start(spec: CommandSpec, ring: CaptureRing, timeoutMs: number) {
  const [pipe] = openPipes(1) as [Pipe];
  const child = await startPiped(spec, [pipe], { stdin: null, stdout: pipe.write, stderr: pipe.write }, timeoutMs);
  child.output = pipe.read;
  return { child, reader: new PipeReader(pipe.read, (chunk) => ring.write(chunk)) };
}

function endedEarly(ending: Ending, path: string, timeoutMs: number, ring: CaptureRing): Error {
  const partial = ring.finish();
  return ending.by === 'timeout'
    ? new CommandTimeoutError(`${path} did not end within its time limit and was ended`, timeoutMs, partial)
    : new CommandCancelledError(`${path} was ended because the call was cancelled`, partial);
}
