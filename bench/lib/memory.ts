/** Memory and time to ready with the real nats CLI as application. */
import { findNatsCli } from '../../scripts/nats-cli.ts';
import { type Bench, load, residentBytes, startFisk, startPeer } from './contestants.ts';
import { median } from './numbers.ts';
import type { Row } from './results.ts';

const MIB = 1024 ** 2;
const READY_MS = 600;
const RESIDENT_MIB = 90;
const GROWTH_MIB = 8;

export interface Options {
  /** How often the daemon is started to measure how long that takes. */
  starts: number;
  /** After how many calls memory is looked at first, and last. */
  first: number;
  last: number;
}

/** Its cheapest command that needs no server. */
export const CHEAP_TOOL = 'context_ls';

/** Resident memory in MiB when nothing happens any more. */
export async function settled(pid: number): Promise<number> {
  const seen: number[] = [];
  for (let look = 0; look < 10; look++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen.push(residentBytes(pid) / MIB);
  }
  return median(seen);
}

export async function measureMemory(bench: Bench, { starts, first, last }: Options): Promise<Row[]> {
  const application = findNatsCli();
  if (application === undefined)
    return [{ what: 'memory with the real nats CLI', measured: 'not run: no nats CLI here' }];
  const rows: Row[] = [];
  const ready: number[] = [];
  for (let count = 0; count < starts; count++) {
    const daemon = await startFisk(bench, 'ready-fisk', application);
    ready.push(daemon.readyMs);
    await daemon.stop();
  }
  rows.push({
    what: 'time to ready, tools of the real nats CLI: fisk',
    measured: `${(median(ready) / 1000).toFixed(2)} s`,
    bound: `at most ${(READY_MS / 1000).toFixed(1)} s`,
    holds: median(ready) <= READY_MS,
  });

  const daemon = await startFisk(bench, 'memory-fisk', application);
  const idle = await settled(daemon.pid);
  await load(bench, daemon.identity, CHEAP_TOOL, { 'in-flight': 8, calls: first });
  const early = await settled(daemon.pid);
  await load(bench, daemon.identity, CHEAP_TOOL, { 'in-flight': 8, calls: last - first });
  const late = await settled(daemon.pid);
  await daemon.stop();
  rows.push(
    {
      what: 'resident, idle with those tools: fisk',
      measured: `${idle.toFixed(0)} MiB`,
      bound: `at most ${RESIDENT_MIB} MB`,
      holds: idle * MIB <= RESIDENT_MIB * 1e6,
    },
    {
      what: `resident after ${first} and after ${last} calls: fisk`,
      measured: `${early.toFixed(1)} and ${late.toFixed(1)} MiB`,
      bound: `growth under ${GROWTH_MIB} MB`,
      holds: (late - early) * MIB < GROWTH_MIB * 1e6,
    },
  );
  if (bench.peer !== undefined) {
    const peer = await startPeer(bench, 'memory-peer', application);
    const resident = await settled(peer.pid);
    await peer.stop();
    rows.push({
      what: 'the same, ready and idle: FISK_PEER',
      measured: `${(peer.readyMs / 1000).toFixed(2)} s, ${resident.toFixed(0)} MiB`,
    });
  }
  return rows;
}
