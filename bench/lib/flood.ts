/** A command that writes a lot, beside the same program writing into a pipe that somebody just empties. */
import { run } from '../../test/support/run.ts';
import { type Bench, load, residentBytes, startFisk, startPeer } from './contestants.ts';
import { median } from './numbers.ts';
import type { Row } from './results.ts';

const TIMES = 1.3;
const GROWTH_MB = 20;

async function rawSeconds(bench: Bench, mib: number): Promise<number> {
  const startedAt = performance.now();
  const ended = await run('sh', ['-c', '"$1" flood --mib="$2" | "$1" drain', 'sh', bench.tiny, String(mib)]);
  if (ended.code !== 0) throw new Error(ended.stderr);
  return (performance.now() - startedAt) / 1000;
}

export async function measureFlood(bench: Bench, mib: number, rounds: number): Promise<Row[]> {
  const fisk = await startFisk(bench, 'flood-fisk', bench.tiny);
  const peer = bench.peer === undefined ? undefined : await startPeer(bench, 'flood-peer', bench.tiny);
  const options = { 'in-flight': 1, calls: 1, input: JSON.stringify({ mib }) };
  const seconds = async (identity: string) => {
    const seen = await load(bench, identity, 'flood', options);
    if (seen.failed > 0) throw new Error(`${identity}: ${JSON.stringify(seen.codes)}`);
    return seen.replyP50 / 1000;
  };
  await load(bench, fisk.identity, 'flood', { ...options, input: '{"mib":1}' });

  const raw: number[] = [];
  const own: number[] = [];
  const theirs: number[] = [];
  let most = 0;
  const before = residentBytes(fisk.pid);
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes(fisk.pid));
  }, 10);
  for (let round = 0; round < rounds; round++) {
    raw.push(await rawSeconds(bench, mib));
    own.push(await seconds(fisk.identity));
    if (peer !== undefined) theirs.push(await seconds(peer.identity));
  }
  clearInterval(watch);
  await fisk.stop();
  await peer?.stop();
  const times = median(own) / median(raw);
  const growth = (most - before) / 1e6;
  const rows: Row[] = [
    {
      what: `one call that writes ${mib} MiB, beside the writer into a plain pipe`,
      measured: `${median(own).toFixed(2)} s beside ${median(raw).toFixed(2)} s: ${times.toFixed(2)} times`,
      bound: `at most ${TIMES} times`,
      holds: times <= TIMES,
    },
    {
      what: 'growth of resident memory while it does',
      measured: `${growth.toFixed(1)} MB`,
      bound: `under ${GROWTH_MB} MB`,
      holds: growth < GROWTH_MB,
    },
  ];
  if (peer !== undefined) rows.push({ what: 'the same call: FISK_PEER', measured: `${median(theirs).toFixed(2)} s` });
  return rows;
}
