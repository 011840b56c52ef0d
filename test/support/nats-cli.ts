/** The real `nats` program, as application and as client. */
import { findNatsCli } from '../../scripts/nats-cli.ts';
import { type RunResult, run } from './run.ts';
import { tempDir } from './tmp.ts';

let found: string | undefined;
let looked = false;

/** Its path, or nothing when this machine has none (tests then say that they did not run). */
export function natsCli(): string | undefined {
  if (!looked) found = findNatsCli();
  looked = true;
  return found;
}

/** Runs it against a server, with a home of its own so that no context of the person running the tests is used. */
export function nats(server: string, ...args: string[]): Promise<RunResult> {
  const path = natsCli();
  if (path === undefined) throw new Error('no nats CLI here: run "node scripts/nats-cli.ts"');
  const home = tempDir();
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CONFIG_HOME: home, NATS_URL: server };
  return run(path, args, { env });
}
