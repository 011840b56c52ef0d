/** How fast a full daemon says no. */
import { type Bench, load, startFisk, startPeer } from './contestants.ts';
import type { Row } from './results.ts';

const BOUND_MS = 1;

/** One slot, taken by a long call; another caller then asks again and again. */
async function refusal(bench: Bench, start: typeof startPeer, identity: string, calls: number) {
  const daemon = await start(bench, identity, bench.tiny, 1);
  const seconds = 30;
  const long = load(bench, identity, 'wait', { 'in-flight': 1, calls: 1, input: `{"seconds":${seconds}}` });
  // The load must find the slot taken from its first call on.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const seen = await load(bench, identity, 'run', { 'in-flight': 1, calls });
  long.catch(() => {});
  await daemon.stop();
  if (seen.codes['capacity'] !== calls) throw new Error(`${identity} did not refuse: ${JSON.stringify(seen)}`);
  return seen;
}

export async function measureRefusals(bench: Bench, calls: number): Promise<Row[]> {
  const fisk = await refusal(
    bench,
    (b, id, app, slots) => startFisk(b, id, app, { slots: slots ?? 1 }),
    'full-fisk',
    calls,
  );
  const rows: Row[] = [
    {
      what: 'refusal when full, one caller: fisk, ack p50, final p50 (p99)',
      measured: `${fisk.ackP50.toFixed(2)} ms, ${fisk.replyP50.toFixed(2)} ms (${fisk.replyP99.toFixed(2)} ms)`,
      bound: `final p50 under ${BOUND_MS} ms`,
      holds: fisk.replyP50 < BOUND_MS,
    },
  ];
  if (bench.peer !== undefined) {
    const peer = await refusal(bench, startPeer, 'full-peer', calls);
    rows.push({
      what: 'the same: FISK_PEER',
      measured: `${peer.ackP50.toFixed(2)} ms, ${peer.replyP50.toFixed(2)} ms`,
    });
  }
  return rows;
}
