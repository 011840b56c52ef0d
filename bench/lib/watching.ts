/** What being watched costs a daemon: metrics, a scraper and a reader of the status page, beside the same daemon without. */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { type Bench, type Contestant, load, processorMs, startFisk } from './contestants.ts';
import { median } from './numbers.ts';
import type { Row } from './results.ts';

const SHARE = 0.05;
const SCRAPE_MS = 5_000;
const PAGE_MS = 2_000;

/** Reads a page again and again until told to stop. */
async function read(url: string, everyMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await (await fetch(url)).text();
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

async function cpuPerCall(bench: Bench, daemon: Contestant, calls: number): Promise<number> {
  const before = processorMs(daemon.pid);
  const seen = await load(bench, daemon.identity, 'run', { 'in-flight': 8, calls });
  return (processorMs(daemon.pid) - before) / seen.calls;
}

export async function measureWatching(
  bench: Bench,
  { rounds, calls }: { rounds: number; calls: number },
): Promise<Row[]> {
  const port = await freePort();
  const plain = await startFisk(bench, 'plain', bench.tiny);
  const watched = await startFisk(bench, 'watched', bench.tiny, { env: { FISK_METRICS_ADDRESS: String(port) } });
  const stop = new AbortController();
  const readers = [
    read(`http://127.0.0.1:${port}/metrics`, SCRAPE_MS, stop.signal),
    read(`http://127.0.0.1:${port}/`, PAGE_MS, stop.signal),
  ];
  const without: number[] = [];
  const with_: number[] = [];
  for (const daemon of [plain, watched]) await cpuPerCall(bench, daemon, calls);
  for (let round = 0; round < rounds; round++) {
    without.push(await cpuPerCall(bench, plain, calls));
    with_.push(await cpuPerCall(bench, watched, calls));
  }
  stop.abort();
  await Promise.all(readers);
  await plain.stop();
  await watched.stop();
  const more = median(with_) / median(without) - 1;
  return [
    {
      what: 'processor time of the daemon a call, watched beside not watched',
      measured: `${median(with_).toFixed(3)} ms beside ${median(without).toFixed(3)} ms: ${(more * 100).toFixed(1)} % more`,
      bound: `at most ${SHARE * 100} % more`,
      holds: more <= SHARE,
    },
  ];
}
