/** The built fisk serving a small application, as a process of its own whose log can be read as it grows. */
import { fiskEntry } from './fisk.ts';
import { type Running, start } from './run.ts';
import { fixture, tempFile } from './tmp.ts';

export interface ServedOptions {
  readonly url: string;
  readonly identity?: string;
  readonly application?: string;
  /** Commands at a time. */
  readonly slots?: number;
  /** How long one may run, as the configuration writes it. */
  readonly toolTimeout?: string;
  readonly args?: readonly string[];
  readonly nodeArgs?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** A program with its arguments that starts the daemon in its own way. */
  readonly through?: readonly string[];
}

export interface Served extends Running {
  /** The log so far. */
  lines(): Record<string, unknown>[];
  /** The last line that the daemon has written. */
  lastLine(): string;
}

/** Starts one and waits until it answers. */
export async function startServed(options: ServedOptions): Promise<Served> {
  const { url, identity = 'lab', application = fixture('lab.sh'), slots = 2, toolTimeout = '30s' } = options;
  const config = tempFile(
    'agent.yaml',
    `identity: ${identity}
application_path: ${application}
expose: { agent: { a2a: { serve_tools: true, max_concurrent_tools: ${slots}, tool_timeout: ${toolTimeout} } } }
`,
  );
  const serve = ['serve', '--dev', '--server', url, '--log-format', 'json', '--config', config];
  const command = [...(options.through ?? []), process.execPath, ...(options.nodeArgs ?? []), fiskEntry, ...serve];
  const [program = '', ...args] = [...command, ...(options.args ?? [])];
  const running = await start(program, args, { env: { ...process.env, ...options.env } });
  await running.printed(/Exposed:/, 20_000);
  return {
    ...running,
    lines: () => jsonLines(running.stderr()),
    lastLine: () => running.stderr().trimEnd().split('\n').at(-1) ?? '',
  };
}

/** The lines of a log that are whole, among whatever else was written. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}
