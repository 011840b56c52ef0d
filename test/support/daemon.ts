/** A daemon of ours inside the test process, on a real server, with the small application whose commands do one thing each. */
import type { LoadedConfig } from '../../src/config/index.ts';
import { loadConfig } from '../../src/config/index.ts';
import { openHost } from '../../src/host/index.ts';
import { createLogger, type ServeObserver } from '../../src/observe/index.ts';
import { type RunningServer, startServer } from '../../src/serve/index.ts';
import { fixture, tempFile } from './tmp.ts';

export interface TestDaemon {
  readonly server: RunningServer;
  /** Every line of the log so far. */
  readonly lines: Record<string, unknown>[];
  /** Drains and waits for the end. */
  stop(): Promise<{ fault?: Error }>;
}

export interface DaemonOptions {
  readonly url: string;
  readonly identity?: string;
  /** YAML below `expose.agent.a2a`, one key a line. */
  readonly a2a?: string;
  /** YAML of `expose.agent.tools`, on one line. */
  readonly tools?: string;
  /** More YAML at the top level. */
  readonly yaml?: string;
  readonly application?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly observer?: ServeObserver;
}

/** The configuration of such a daemon. */
export function daemonConfig({
  identity = 'lab',
  a2a = '',
  tools,
  yaml = '',
  application,
}: DaemonOptions): LoadedConfig {
  const text = [
    `identity: ${identity}`,
    `application_path: ${application ?? fixture('lab.sh')}`,
    'nats_context: unused',
    'expose:',
    '  agent:',
    ...(tools === undefined ? [] : [`    tools: ${tools}`]),
    '    a2a:',
    '      serve_tools: true',
    ...a2a.split('\n').map((line) => `      ${line}`),
    yaml,
  ].join('\n');
  return loadConfig({ path: tempFile('agent.yaml', text), mode: 'serve', env: {} });
}

/** Starts one; throws what a start throws. */
export async function startDaemon(options: DaemonOptions): Promise<TestDaemon> {
  const { config } = daemonConfig(options);
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    level: 'debug',
    format: 'json',
    destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  const env = options.env ?? process.env;
  const host = await openHost({ config, env, servers: [options.url], connectionName: `serve ${config.identity}`, log });
  const server = await startServer({ host, version: '1.2.3', log, observer: options.observer });
  return {
    server,
    lines,
    stop: () => {
      server.drain('the test is over');
      return server.done;
    },
  };
}
