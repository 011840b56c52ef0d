/** The daemons that are compared: fisk itself, the small Go program, and another implementation when there is one. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fiskEntry } from '../../test/support/fisk.ts';
import { run, spawnOwned } from '../../test/support/run.ts';
import { tempDir, tempFile } from '../../test/support/tmp.ts';
import { waitFor, waitGone } from '../../test/support/wait.ts';
import type { LoadResult } from './results.ts';

const benchDir = join(import.meta.dirname, '..');

export interface Bench {
  /** Address of the NATS server all of them use. */
  readonly server: string;
  /** The built bench/tiny.c. */
  readonly tiny: string;
  /** The built Go program; absent where no Go is at hand. */
  readonly baseline: string | undefined;
  /** The built load driver in Go; without it the one of bench/load.ts runs. */
  readonly load: string | undefined;
  /** The built load driver for MCP; absent where no Go is at hand. */
  readonly mcpLoad: string | undefined;
  /** Another implementation, as FISK_PEER names it. */
  readonly peer: string | undefined;
}

export interface Contestant {
  readonly identity: string;
  readonly pid: number;
  /** From the start of the process to the line that says it serves, in ms. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** Builds what is written in other languages. */
export function buildPrograms(): Pick<Bench, 'tiny' | 'baseline' | 'load' | 'mcpLoad'> {
  const dir = tempDir();
  const tiny = join(dir, 'tiny');
  execFileSync('cc', ['-O2', '-o', tiny, join(benchDir, 'tiny.c')]);
  try {
    // The folder as the target gives each program the name of its package.
    execFileSync('go', ['build', '-o', `${dir}/`, './...'], { cwd: join(benchDir, 'go-baseline'), stdio: 'pipe' });
  } catch (error) {
    console.error(`no Go baseline: ${String(error).split('\n')[0]}`);
    return { tiny, baseline: undefined, load: undefined, mcpLoad: undefined };
  }
  return { tiny, baseline: join(dir, 'baseline'), load: join(dir, 'load'), mcpLoad: join(dir, 'mcpload') };
}

/** A configuration that serves `application`, and the environment in which its NATS context leads to the server. */
export function served(bench: Bench, identity: string, application: string, slots = 8) {
  const home = tempDir();
  tempFile('nats/context/bench.json', JSON.stringify({ url: bench.server }), home);
  const lines = [
    `identity: ${identity}`,
    `application_path: ${application}`,
    'nats_context: bench',
    `expose: { agent: { a2a: { serve_tools: true, max_concurrent_tools: ${slots}, tool_timeout: 60s } } }`,
  ];
  const config = tempFile('agent.yaml', `${lines.join('\n')}\n`, home);
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
  return { config, env };
}

/** Starts a daemon whose output goes to a file, so that reading its log costs the measurement nothing. */
export async function launch(
  identity: string,
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  ready: RegExp,
): Promise<Contestant> {
  const file = tempFile(`${identity}.log`, '');
  const log = openSync(file, 'a');
  const startedAt = performance.now();
  const child = spawnOwned(command, args, { env, stdio: ['ignore', log, log] });
  closeSync(log);
  const text = () => readFileSync(file, 'utf8');
  await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`${identity} ended at once:\n${text()}`);
      return ready.test(text());
    },
    { every: 1, timeout: 20_000, what: () => `${identity} to be ready:\n${text()}` },
  );
  const readyMs = performance.now() - startedAt;
  const pid = child.pid ?? 0;
  const stop = async () => {
    child.kill('SIGTERM');
    await waitGone(pid, 10_000);
  };
  return { identity, pid, readyMs, stop };
}

export interface FiskOptions {
  slots?: number;
  /** Flags for node, before the entry. */
  nodeFlags?: string[];
  env?: NodeJS.ProcessEnv;
}

const SERVING = /^Serving [^\n]*[\s\S]*^\s*Exposed:/m;

export function startFisk(bench: Bench, identity: string, application: string, options: FiskOptions = {}) {
  const { config, env } = served(bench, identity, application, options.slots);
  const args = [...(options.nodeFlags ?? []), fiskEntry, 'serve', '--config', config];
  return launch(identity, process.execPath, args, { ...env, ...options.env }, SERVING);
}

export function startPeer(bench: Bench, identity: string, application: string, slots?: number) {
  const { config, env } = served(bench, identity, application, slots);
  return launch(identity, bench.peer ?? '', ['serve', '--config', config], env, SERVING);
}

export function startBaseline(bench: Bench, identity: string, application: string) {
  const args = ['--server', bench.server, '--identity', identity, '--application', application];
  return launch(identity, bench.baseline ?? '', args, process.env, /ready/);
}

/** Runs the load process against one of them. */
export async function load(bench: Bench, identity: string, tool: string, options: Record<string, string | number>) {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const args = ['--server', bench.server, '--identity', identity, '--tool', tool, ...flags];
  const [command, ...first] = bench.load ? [bench.load] : [process.execPath, join(benchDir, 'load.ts')];
  const ended = await run(command, [...first, ...args], { timeout: 900_000 });
  if (ended.code !== 0) throw new Error(`load on ${identity} failed:\n${ended.stderr}`);
  return JSON.parse(ended.stdout) as LoadResult;
}

/** Resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1024;
}

/** Processor time of a process so far, without its children, in ms. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  // The kernel counts in hundredths of a second.
  return (Number(user) + Number(system)) * 10;
}
