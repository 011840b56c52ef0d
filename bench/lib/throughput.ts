/** Calls per second and latencies of each contestant at several numbers of calls in flight, in turns. */
import { join } from 'node:path';
import { run } from '../../test/support/run.ts';
import { type Bench, type Contestant, load, processorMs, startBaseline, startFisk, startPeer } from './contestants.ts';
import { median } from './numbers.ts';
import type { LoadResult, Row } from './results.ts';

export const LEVELS = [1, 4, 8] as const;
/** What fisk must reach at each level, as part of the other one's calls per second. */
const OF_PROCESS_ALONE = [0.45, 0.6, 0.75];
const OF_BASELINE = [0.65, 0.8, 0.85];
const OF_PEER = [1, 1, 1];

type Name = 'process room alone' | 'small Go program' | 'fisk' | 'FISK_PEER';
type Sample = Partial<LoadResult> & { perSecond: number; processorMs?: number };

export interface Options {
  rounds: number;
  /** How long one contestant is loaded at one level in one round. */
  seconds: number;
}

const fixed = (value: number) => value.toFixed(value < 10 ? 2 : 0);

/** Runs all of them and gives the rows of the table. */
export async function measureThroughput(bench: Bench, { rounds, seconds }: Options): Promise<Row[]> {
  const daemons = new Map<Name, Contestant>();
  if (bench.baseline !== undefined) daemons.set('small Go program', await startBaseline(bench, 'bench-go', bench.tiny));
  daemons.set('fisk', await startFisk(bench, 'bench-fisk', bench.tiny));
  if (bench.peer !== undefined) daemons.set('FISK_PEER', await startPeer(bench, 'bench-peer', bench.tiny));

  const samples = new Map<Name, Map<number, Sample[]>>();
  const keep = (name: Name, level: number, sample: Sample) => {
    // A daemon that frees its slot after its reply may be full for a caller that comes again at once: its own affair.
    const { failed = 0, calls = 0, codes } = sample;
    if (failed > calls / 200) throw new Error(`${name}: ${failed} of ${calls} calls failed: ${JSON.stringify(codes)}`);
    const levels = samples.get(name) ?? new Map<number, Sample[]>();
    samples.set(name, levels.set(level, [...(levels.get(level) ?? []), sample]));
  };
  for (const { identity } of daemons.values()) await load(bench, identity, 'run', { 'in-flight': 8, calls: 500 });
  for (let round = 0; round < rounds; round++) {
    for (const level of LEVELS) {
      keep('process room alone', level, await processAlone(bench, level, seconds));
      for (const [name, { identity, pid }] of daemons) {
        const before = processorMs(pid);
        const seen = await load(bench, identity, 'run', { 'in-flight': level, seconds });
        keep(name, level, { ...seen, processorMs: (processorMs(pid) - before) / seen.calls });
      }
    }
  }
  for (const daemon of daemons.values()) await daemon.stop();
  return [...rateRows(samples), ...ratioRows(samples), ...ackRows(samples)];
}

async function processAlone(bench: Bench, level: number, seconds: number): Promise<Sample> {
  const script = join(import.meta.dirname, '..', 'process-alone.ts');
  const ended = await run(process.execPath, [script, bench.tiny, 'run', String(level), String(seconds)]);
  if (ended.code !== 0) throw new Error(ended.stderr);
  return JSON.parse(ended.stdout) as Sample;
}

type Samples = ReadonlyMap<Name, ReadonlyMap<number, readonly Sample[]>>;

const middle = (samples: Samples, name: Name, level: number, field: keyof Sample): number =>
  median((samples.get(name)?.get(level) ?? []).map((sample) => Number(sample[field])));

function rateRows(samples: Samples): Row[] {
  return [...samples.keys()].map((name) => {
    const rates = LEVELS.map((level) => fixed(middle(samples, name, level, 'perSecond')));
    const replies = LEVELS.map((level) => fixed(middle(samples, name, level, 'replyP50')));
    const used = LEVELS.map((level) => fixed(middle(samples, name, level, 'processorMs')));
    const times =
      name === 'process room alone'
        ? ''
        : `; reply p50 ${replies.join(' / ')} ms; processor time of the daemon ${used.join(' / ')} ms a call`;
    return { what: `calls a second at ${LEVELS.join(' / ')} in flight: ${name}`, measured: rates.join(' / ') + times };
  });
}

function ratioRows(samples: Samples): Row[] {
  const against: [Name, number[]][] = [
    ['process room alone', OF_PROCESS_ALONE],
    ['small Go program', OF_BASELINE],
    ['FISK_PEER', OF_PEER],
  ];
  return against
    .filter(([name]) => samples.has(name))
    .map(([name, bounds]) => {
      // Contestants of one round stand beside each other; the middle of their ratios is robust against a slow second.
      const ratios = LEVELS.map((level) => {
        const own = samples.get('fisk')?.get(level) ?? [];
        const theirs = samples.get(name)?.get(level) ?? [];
        return median(own.map((sample, round) => sample.perSecond / (theirs[round]?.perSecond ?? Number.NaN)));
      });
      return {
        what: `fisk as part of: ${name}`,
        measured: ratios.map((ratio) => ratio.toFixed(2)).join(' / '),
        bound: `at least ${bounds.map((bound) => bound.toFixed(2)).join(' / ')}`,
        holds: ratios.every((ratio, at) => ratio >= (bounds[at] ?? 0)),
      };
    });
}

function ackRows(samples: Samples): Row[] {
  const rows: Row[] = [...samples.keys()]
    .filter((name) => name !== 'process room alone')
    .map((name) => {
      const texts = LEVELS.map((level) => {
        return `${fixed(middle(samples, name, level, 'ackP50'))} (${fixed(middle(samples, name, level, 'ackP99'))})`;
      });
      return { what: `ack p50 (p99) in ms at ${LEVELS.join(' / ')}: ${name}`, measured: texts.join(' / ') };
    });
  if (!samples.has('small Go program')) return rows;
  const times = [1, 8].map(
    (level) => middle(samples, 'fisk', level, 'ackP50') / middle(samples, 'small Go program', level, 'ackP50'),
  );
  rows.push({
    what: 'ack p50 as times of the small Go program at 1 / 8',
    measured: times.map((ratio) => ratio.toFixed(2)).join(' / '),
    bound: 'at most 1.50 / 1.00',
    holds: (times[0] ?? 9) <= 1.5 && (times[1] ?? 9) <= 1,
  });
  return rows;
}
