/** Daemons of both implementations, served from the same kind of file over a NATS context of their own. */
import { startFisk } from '../../support/fisk.ts';
import { type Running, start } from '../../support/run.ts';
import { tempDir, tempFile } from '../../support/tmp.ts';

/** The other implementation's program, as FISK_PEER names it. */
export const peer = process.env['FISK_PEER'] || undefined;

/** For `test(name, options, …)`: a test that needs the other implementation says that it was not run without one. */
export const needsPeer = { skip: peer === undefined ? 'not run: FISK_PEER names no other implementation' : false };

export interface Served {
  identity: string;
  application: string;
  /** Lines of the configuration besides the a2a block. */
  more?: string;
  /** Keys of the a2a block besides serve_tools. */
  a2a?: string;
  env?: NodeJS.ProcessEnv;
}

/** A home in which the context `local` leads to that server. */
export function homeFor(url: string): { home: string; env: NodeJS.ProcessEnv } {
  const home = tempDir();
  tempFile('nats/context/local.json', JSON.stringify({ url }), home);
  return { home, env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, NATS_URL: url } };
}

function prepare(url: string, served: Served) {
  const { home, env } = homeFor(url);
  const text = `identity: ${served.identity}
application_path: ${served.application}
nats_context: local
${served.more ?? ''}
expose:
  agent:
    a2a:
      serve_tools: true
      ${served.a2a ?? ''}
`;
  const config = tempFile('agent.yaml', text, home);
  return { args: ['serve', '--config', config], options: { env: { ...env, ...served.env }, cwd: home } };
}

/** The last line of the banner, after which the daemon answers. */
const SERVING = /^ *Exposed: /m;

/** Starts our daemon and waits until it serves. */
export async function serveFisk(url: string, served: Served): Promise<Running> {
  const { args, options } = prepare(url, served);
  const daemon = await startFisk(args, options);
  await daemon.printed(SERVING);
  return daemon;
}

/** Starts the other implementation's daemon and waits until it serves. */
export async function servePeer(url: string, served: Served): Promise<Running> {
  const { args, options } = prepare(url, served);
  const daemon = await start(peer ?? '', args, options);
  await daemon.printed(SERVING);
  return daemon;
}
