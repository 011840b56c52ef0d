import type { Channel } from './terminal.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Fast answers show no spinner at all: one that only flashes is noise. */
const DELAY_MS = 250;

/** Something on the way. `label` may be changed while it turns. */
export interface Spinner {
  label: string;
  /** Wipes the line. Idempotent. */
  stop(): void;
}

/** Shows `label` with the time that has passed, on one line that is wiped at the end; on a terminal only. */
export function startSpinner(channel: Channel, label: string): Spinner {
  const spinner: Spinner = { label, stop: () => {} };
  if (!channel.isTerminal) return spinner;
  const started = performance.now();
  let frame = 0;
  const timer = setInterval(() => {
    const elapsed = performance.now() - started;
    if (elapsed < DELAY_MS) return;
    frame = (frame + 1) % FRAMES.length;
    const time = channel.style.dim(elapsedText(elapsed));
    channel.write(`\r\u001b[2K${FRAMES[frame]} ${spinner.label} ${time}`);
  }, FRAME_MS);
  timer.unref();
  spinner.stop = () => {
    clearInterval(timer);
    if (frame > 0) channel.write('\r\u001b[2K');
    frame = 0;
  };
  return spinner;
}

/** `3.2s`, `1m05s`, for a person who waits. `ms` in milliseconds. */
export function elapsedText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, '0')}s`;
}
