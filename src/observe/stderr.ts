import { constants, fstatSync, openSync } from 'node:fs';
import { DescriptorSink, type LogSink } from './sink.ts';

const STDERR = 2;

let sink: DescriptorSink | undefined;

/** The sink of standard error, one a process. What still waits when the process exits is written then. */
export function stderrSink(): LogSink {
  if (sink === undefined) {
    const opened = new DescriptorSink(openWithoutBlocking());
    process.on('exit', () => opened.flushSync());
    sink = opened;
  }
  return sink;
}

/**
 * A descriptor for standard error that never waits. A pipe or terminal is opened once more, since the flag on the
 * descriptor we were given is shared with whoever gave it. A file needs none. A socket cannot be opened again, and
 * neither can what belongs to another user: there Node's own stream sets the flag.
 */
function openWithoutBlocking(): number {
  try {
    const target = fstatSync(STDERR);
    if (target.isFile()) return STDERR;
    if (target.isFIFO() || target.isCharacterDevice()) {
      return openSync(`/proc/self/fd/${STDERR}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    }
  } catch {
    // Not ours to open: the stream below it is.
  }
  void process.stderr.writable;
  return STDERR;
}
