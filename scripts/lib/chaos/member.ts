/** One member of the identity, which a supervisor starts again whenever it ends, and the history of each of its lives. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Away } from '../../../test/support/crowd.ts';
import { fiskEntry } from '../../../test/support/fisk.ts';
import { spawnOwned } from '../../../test/support/run.ts';
import { tempFile } from '../../../test/support/tmp.ts';
import { waitFor } from '../../../test/support/wait.ts';

export const IDENTITY = 'chaos';
export const SLOTS = 4;
export const TOOL_TIMEOUT_MS = 2_000;

/** How a life may end without anybody being astonished. */
export type Expected = 0 | 1 | 130 | 143 | 'SIGKILL';

/** One process of a member, from its start to its end. Times are of `performance.now()`. */
export interface Life {
  readonly member: number;
  readonly pid: number;
  readonly child: Pick<ChildProcess, 'exitCode' | 'signalCode' | 'kill'>;
  readonly expected: Set<Expected>;
  /** When it had no connection, as its log says. */
  readonly away: Away[];
  /** When it was ready. */
  readyAt: number | undefined;
  /** When it began to leave. */
  drainingAt: number | undefined;
  endedAt: number | undefined;
  /** When it lost a connection while it sent replies that had waited. */
  readonly lostWhileSending: number[];
}

export interface MemberOptions {
  readonly number: number;
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  readonly application: string;
}

const RESTART_MS = 200;

export class Member {
  readonly number: number;
  readonly lives: Life[] = [];
  /** Ends that nothing explains, each with what the log said last. */
  readonly surprises: string[] = [];
  readonly #options: MemberOptions;
  readonly #config: string;
  #stopping = false;
  #supervision: Promise<void> = Promise.resolve();

  constructor(options: MemberOptions) {
    this.number = options.number;
    this.#options = options;
    this.#config = tempFile(
      'agent.yaml',
      `identity: ${IDENTITY}
application_path: ${options.application}
expose:
  agent: { a2a: { serve_tools: true, max_concurrent_tools: ${SLOTS}, tool_timeout: ${TOOL_TIMEOUT_MS}ms } }
`,
    );
  }

  /** The process of the moment, if it is ready and nobody has asked it to leave. */
  get life(): Life | undefined {
    const life = this.lives.at(-1);
    const serves = life?.readyAt !== undefined && life.drainingAt === undefined && life.endedAt === undefined;
    return serves && life.expected.size === 0 ? life : undefined;
  }

  /** Waits until it serves. */
  ready(timeout = 60_000): Promise<Life> {
    return waitFor(() => this.life, { timeout, what: `member ${this.number} to serve` });
  }

  /** Starts it, and starts it again whenever it ends. */
  supervise(): void {
    this.#supervision = (async () => {
      while (!this.#stopping) {
        await this.#live();
        await delay(RESTART_MS);
      }
    })();
  }

  /** Asks it to leave for good, and gives the exit code. */
  async stop(): Promise<number | null> {
    this.#stopping = true;
    const life = await this.ready();
    life.expected.add(0);
    life.child.kill('SIGTERM');
    await this.#supervision;
    return life.child.exitCode;
  }

  async #live(): Promise<void> {
    const { url, env, number } = this.#options;
    const args = [fiskEntry, 'serve', '--dev', '--server', url, '--log-format', 'json', '--config', this.#config];
    const child = spawnOwned(process.execPath, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const life: Life = {
      member: number,
      pid: child.pid ?? 0,
      child,
      expected: new Set(),
      away: [],
      readyAt: undefined,
      drainingAt: undefined,
      endedAt: undefined,
      lostWhileSending: [],
    };
    this.lives.push(life);
    const last: string[] = [];
    let rest = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        follow(life, line);
        last.push(line);
      }
      last.splice(0, last.length - 8);
    });
    // Not its streams: whoever watches over the commands that it left may hold them for longer.
    const ended = Promise.withResolvers<void>();
    child.once('exit', () => ended.resolve());
    child.once('error', () => ended.resolve());
    await ended.promise;
    life.endedAt = performance.now();
    const how = child.exitCode ?? child.signalCode;
    // A start may fail while the server is away: whoever supervises tries again.
    const failedStart = life.readyAt === undefined && how === 1;
    if (!failedStart && !life.expected.has(how as Expected)) {
      this.surprises.push(`member ${number} ended with ${how}:\n${last.join('\n')}`);
    }
  }
}

const EVENTS: readonly [string, (life: Life, now: number) => void][] = [
  [
    '"the daemon is ready"',
    (life, now) => {
      life.readyAt = now;
    },
  ],
  [
    '"the daemon is draining"',
    (life, now) => {
      life.drainingAt = now;
    },
  ],
  [
    '"disconnected from NATS"',
    (life, now) => {
      life.away.push({ from: now, to: Number.POSITIVE_INFINITY });
    },
  ],
  [
    '"reconnected to NATS"',
    (life, now) => {
      const last = life.away.at(-1);
      if (last !== undefined) last.to = now;
    },
  ],
  [
    '"the connection was lost while they were sent: some may have arrived"',
    (life, now) => {
      life.lostWhileSending.push(now);
    },
  ],
];

/** Notes what a line of the log tells. The time is that of its arrival here, since its own clock may jump. */
function follow(life: Life, line: string): void {
  for (const [text, note] of EVENTS) if (line.includes(text)) note(life, performance.now());
}
