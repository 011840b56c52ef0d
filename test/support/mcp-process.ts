/** `fisk mcp --stdio` as a client starts it: a process of its own with a pipe at each of its three streams. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fiskEntry } from './fisk.ts';
import { type McpDaemonOptions, mcpConfig } from './mcp-daemon.ts';
import { RawMcp } from './raw-mcp.ts';
import { type RunResult, spawnOwned } from './run.ts';
import { waitFor } from './wait.ts';

/** The command line that serves an application so. */
export function mcpCommand(options: McpDaemonOptions = {}): { command: string; args: string[] } {
  const { args = [] } = options;
  return { command: process.execPath, args: [fiskEntry, 'mcp', '--stdio', '--config', mcpConfig(options), ...args] };
}

export interface McpProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly raw: RawMcp;
  stderr(): string;
  readonly ended: Promise<RunResult>;
  /** Waits for a text on stderr. */
  told(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts one and waits until it answers. */
export async function startMcpProcess(options: McpDaemonOptions = {}): Promise<McpProcess> {
  const { command, args } = mcpCommand(options);
  const child = spawnOwned(command, args, { env: options.env ?? process.env, stdio: 'pipe' });
  if (child.stdin === null || child.stdout === null) throw new Error('no pipes');
  let told = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    told += chunk;
  });
  const stderr = () => told;
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout: '', stderr: told }));
  const started: McpProcess = {
    child,
    pid: child.pid ?? 0,
    raw: new RawMcp(child.stdout, child.stdin),
    stderr,
    ended,
    told: (pattern) =>
      waitFor(() => pattern.exec(told) ?? undefined, { timeout: 20_000, what: () => `${pattern} in ${told}` }),
  };
  await started.told(/Exposed:/);
  return started;
}
