/** MCP over both ways in, beside the same calls over NATS and beside a plain server of the TypeScript SDK. */
import { join } from 'node:path';
import { findNatsCli } from '../../scripts/nats-cli.ts';
import { fiskEntry } from '../../test/support/fisk.ts';
import { freePort } from '../../test/support/free-port.ts';
import { run as runProgram } from '../../test/support/run.ts';
import { tempFile } from '../../test/support/tmp.ts';
import { type Bench, type Contestant, launch, load, startBaseline, startFisk } from './contestants.ts';
import { CHEAP_TOOL, settled } from './memory.ts';
import { median } from './numbers.ts';
import type { LoadResult, Row } from './results.ts';
import { LEVELS } from './throughput.ts';

/** What fisk must reach over stdio, as part of its own calls a second over NATS, and what is aimed at. */
const OF_NATS = { least: 0.6, aim: 0.9 };
/** What it must reach over HTTP, as part of those of the small Go program over NATS. */
const OF_BASELINE = { least: 0.5, aim: 0.6 };
const LIST_MS = 15;
const MIB = 1024 ** 2;
const IDLE_MB = 110;
const BUSY_MB = { most: 150, aim: 125 };
const GROWTH_MB = 8;

export interface Options {
  rounds: number;
  /** How long one contestant is loaded at one level in one round. */
  seconds: number;
  /** How often the tools are listed. */
  lists: number;
  /** After how many calls memory is looked at first, and last. */
  first: number;
  last: number;
}

const FISK_NATS = 'fisk over NATS';
const GO_NATS = 'small Go program over NATS';
const FISK_STDIO = 'fisk over stdio';
const SDK_STDIO = 'plain SDK server over stdio';
const FISK_HTTP = 'fisk over HTTP';
const FISK_NEWEST = 'fisk over HTTP, 2026-07-28';
const SDK_HTTP = 'plain SDK server over HTTP';
const PEER_HTTP = 'FISK_PEER over HTTP';

/** Calls before the ones that count, since a server over standard streams is a new one each time. */
const WARM = 500;

/** Loads one contestant with that many calls in flight. */
type Loader = (inFlight: number) => Promise<LoadResult>;

const sdkServer = join(import.meta.dirname, '..', 'sdk-server.ts');

function mcpConfig(application: string): string {
  const mcp = 'max_concurrent_tools: 8, tool_timeout: 60s';
  return tempFile(
    'agent.yaml',
    `identity: bench\napplication_path: ${application}\nexpose: {agent: {mcp: {${mcp}}}}\n`,
  );
}

interface OverHttp {
  readonly daemon: Contestant;
  readonly url: string;
}

async function startHttp(command: string, args: string[], ready: RegExp): Promise<OverHttp> {
  const port = await freePort();
  const filled = args.map((arg) => (arg === 'PORT' ? String(port) : arg));
  const daemon = await launch('bench-mcp', command, filled, process.env, ready);
  return { daemon, url: `http://127.0.0.1:${port}/` };
}

const startFiskHttp = (application: string) =>
  startHttp(process.execPath, [fiskEntry, 'mcp', '--config', mcpConfig(application), '--port', 'PORT'], /Exposed:/);

async function mcpLoad(bench: Bench, args: readonly (string | number)[]): Promise<LoadResult> {
  const ended = await runProgram(bench.mcpLoad ?? '', args.map(String), { timeout: 900_000 });
  if (ended.code !== 0) throw new Error(`load over MCP failed: ${args.join(' ')}\n${ended.stderr.slice(-2_000)}`);
  const seen = JSON.parse(ended.stdout) as LoadResult;
  if (seen.failed > seen.calls / 200) throw new Error(`${seen.failed} of ${seen.calls}: ${JSON.stringify(seen.codes)}`);
  return seen;
}

/** Runs all of it and gives the rows of the table. */
export async function measureMcp(bench: Bench, options: Options): Promise<Row[]> {
  if (bench.mcpLoad === undefined) return [{ what: 'MCP', measured: 'not run: no Go here, which makes the load' }];
  return [...(await rates(bench, options)), ...(await withNatsCli(bench, options))];
}

async function rates(bench: Bench, { rounds, seconds }: Options): Promise<Row[]> {
  const daemons: Contestant[] = [];
  const loaders = new Map<string, Loader>();
  const overNats = (daemon: Contestant): Loader => {
    daemons.push(daemon);
    return async (inFlight) => {
      await load(bench, daemon.identity, 'run', { 'in-flight': inFlight, calls: WARM });
      return load(bench, daemon.identity, 'run', { 'in-flight': inFlight, seconds });
    };
  };
  const run = (inFlight: number) => ['--tool', 'run', '--warm', WARM, '--in-flight', inFlight, '--seconds', seconds];
  const overStdio =
    (...command: string[]): Loader =>
    (inFlight) =>
      mcpLoad(bench, [...run(inFlight), '--', ...command]);
  const overHttp = ({ url }: OverHttp, ...flags: string[]): Loader => {
    return (inFlight) => mcpLoad(bench, ['--url', url, ...flags, ...run(inFlight)]);
  };
  const kept = (started: OverHttp) => {
    daemons.push(started.daemon);
    return started;
  };

  loaders.set(FISK_NATS, overNats(await startFisk(bench, 'bench-fisk', bench.tiny)));
  if (bench.baseline !== undefined) loaders.set(GO_NATS, overNats(await startBaseline(bench, 'bench-go', bench.tiny)));
  loaders.set(FISK_STDIO, overStdio(process.execPath, fiskEntry, 'mcp', '--stdio', '--config', mcpConfig(bench.tiny)));
  loaders.set(SDK_STDIO, overStdio(process.execPath, sdkServer, bench.tiny));
  const ours = kept(await startFiskHttp(bench.tiny));
  loaders.set(FISK_HTTP, overHttp(ours));
  loaders.set(FISK_NEWEST, overHttp(ours, '--newest'));
  loaders.set(SDK_HTTP, overHttp(kept(await startHttp(process.execPath, [sdkServer, bench.tiny, 'PORT'], /ready/))));
  if (bench.peer !== undefined) {
    const args = ['mcp', '--config', mcpConfig(bench.tiny), '--port', 'PORT'];
    loaders.set(PEER_HTTP, overHttp(kept(await startHttp(bench.peer, args, /Serving /))));
  }

  const samples = new Map<string, LoadResult[][]>();
  for (let round = 0; round < rounds; round++) {
    for (const [at, level] of LEVELS.entries()) {
      for (const [name, loader] of loaders) {
        const levels = samples.get(name) ?? LEVELS.map(() => []);
        samples.set(name, levels);
        levels[at]?.push(await loader(level));
      }
    }
  }
  for (const daemon of daemons) await daemon.stop();
  return [
    ...rateRows(samples),
    ...ratioRow(samples, FISK_STDIO, FISK_NATS, OF_NATS),
    ...ratioRow(samples, FISK_HTTP, GO_NATS, OF_BASELINE),
    ...ratioRow(samples, FISK_STDIO, SDK_STDIO, { least: 1 }),
    ...ratioRow(samples, FISK_HTTP, SDK_HTTP, { least: 1 }),
    ...ratioRow(samples, FISK_HTTP, PEER_HTTP),
  ];
}

type Samples = ReadonlyMap<string, readonly (readonly LoadResult[])[]>;

function rateRows(samples: Samples): Row[] {
  return [...samples].map(([name, levels]) => {
    const middle = (field: 'perSecond' | 'replyP50', digits: number) =>
      levels.map((seen) => median(seen.map((sample) => sample[field])).toFixed(digits)).join(' / ');
    return {
      what: `calls a second at ${LEVELS.join(' / ')} in flight: ${name}`,
      measured: `${middle('perSecond', 0)}; reply p50 ${middle('replyP50', 2)} ms`,
    };
  });
}

function ratioRow(samples: Samples, name: string, other: string, bound?: { least: number; aim?: number }): Row[] {
  const theirs = samples.get(other);
  if (theirs === undefined) return [];
  // Contestants of one round stand beside each other; the middle of their ratios is robust against a slow second.
  const ratios = (samples.get(name) ?? []).map((own, level) =>
    median(own.map((sample, round) => sample.perSecond / (theirs[level]?.[round]?.perSecond ?? Number.NaN))),
  );
  const measured = ratios.map((ratio) => ratio.toFixed(2)).join(' / ');
  const what = `${name} as part of: ${other}`;
  if (bound === undefined) return [{ what, measured }];
  const aim = bound.aim === undefined ? '' : ` (aim ${bound.aim})`;
  const holds = ratios.every((ratio) => ratio >= bound.least);
  return [{ what, measured, bound: `at least ${bound.least}${aim}`, holds }];
}

/** Time to list many tools, and memory. */
async function withNatsCli(bench: Bench, { lists, first, last }: Options): Promise<Row[]> {
  const application = findNatsCli();
  if (application === undefined) return [{ what: 'MCP with the real nats CLI', measured: 'not run: no nats CLI here' }];
  const { daemon, url } = await startFiskHttp(application);
  const calls = (count: number) =>
    mcpLoad(bench, ['--url', url, '--tool', CHEAP_TOOL, '--in-flight', 8, '--calls', count]);
  const idle = await settled(daemon.pid);
  const listed = await mcpLoad(bench, ['--url', url, '--method', 'tools/list', '--in-flight', 1, '--calls', lists]);
  await calls(first);
  const early = await settled(daemon.pid);
  await calls(last - first);
  const late = await settled(daemon.pid);
  await daemon.stop();
  return [
    {
      what: 'tools/list of the nats CLI over HTTP, p50 (p99)',
      measured: `${listed.replyP50.toFixed(1)} ms (${listed.replyP99.toFixed(1)} ms)`,
      bound: `p50 under ${LIST_MS} ms`,
      holds: listed.replyP50 < LIST_MS,
    },
    {
      what: 'resident with those tools over MCP, idle',
      measured: `${idle.toFixed(0)} MiB`,
      bound: `at most ${IDLE_MB} MB`,
      holds: idle * MIB <= IDLE_MB * 1e6,
    },
    {
      what: `the same after ${last} calls`,
      measured: `${late.toFixed(0)} MiB`,
      bound: `at most ${BUSY_MB.most} MB (aim ${BUSY_MB.aim})`,
      holds: late * MIB <= BUSY_MB.most * 1e6,
    },
    {
      what: `its growth from call ${first} to call ${last}`,
      measured: `${(late - early).toFixed(1)} MiB`,
      bound: `under ${GROWTH_MB} MB`,
      holds: (late - early) * MIB < GROWTH_MB * 1e6,
    },
  ];
}
