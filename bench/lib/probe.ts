/**
 * Loaded into a daemon with --import: keeps ballast alive in its heap (BENCH_BALLAST_MB) and, at every SIGUSR2, writes
 * how late its event loop was since the last one to the file BENCH_PROBE_FILE names.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const file = process.env['BENCH_PROBE_FILE'] ?? '';
const ballastBytes = Number(process.env['BENCH_BALLAST_MB'] ?? 0) * 1024 * 1024;

// Small objects, as a heap in use has: one big buffer would cost the collector nothing.
const ballast: { id: number; text: string; next: number[] }[] = [];
const before = process.memoryUsage().heapUsed;
while (process.memoryUsage().heapUsed - before < ballastBytes) {
  for (let count = 0; count < 10_000; count++) {
    ballast.push({ id: ballast.length, text: `item ${ballast.length}`, next: [count, count + 1, count + 2] });
  }
}

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
process.on('SIGUSR2', () => {
  const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);
  const seen = { p99: late(delay.percentile(99)), max: late(delay.max), ballast: ballast.length };
  writeFileSync(`${file}.new`, JSON.stringify(seen));
  renameSync(`${file}.new`, file);
  delay.reset();
});
