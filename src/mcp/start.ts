import type { Config } from '../config/index.ts';
import { NothingToServeError } from '../errors.ts';
import { factsOf, selectForSurface } from '../host/index.ts';
import { type DaemonState, Lifecycle, type Logger, type ServeObserver, silentObserver } from '../observe/index.ts';
import { endLiveGroups, Slots, straysEnded } from '../process/index.ts';
import { isConfirmable, isTagged, type LoadedApplication, type ServedSelection } from '../tools/index.ts';
import type { McpService } from './contract.ts';
import type { McpTiming } from './service.ts';

/** A way in. It was told of the service when it was opened. */
export interface McpFront {
  /** Takes no more requests, lets the service drain and closes what is left. Calling it again waits for the same end. */
  close(): Promise<void>;
}

export interface McpStart {
  /** With the block `expose.agent.mcp`. */
  readonly config: Config;
  readonly application: LoadedApplication | undefined;
  /** What clients are told of this program. */
  readonly version: string;
  readonly log: Logger;
  /** Told what the daemon does; nobody is when it is absent. */
  readonly observer?: ServeObserver | undefined;
  /** Opens the way in. What it throws ends the start. */
  readonly open: (service: McpService) => Promise<McpFront>;
  /** In place of the usual times, for tests. */
  readonly timing?: McpTiming;
}

/** A daemon that answers MCP clients. */
export interface RunningMcp {
  readonly state: DaemonState;
  readonly served: ServedSelection;
  /** Calls that are not answered yet. */
  readonly running: number;
  /** Resolves when everything is closed, with the fault that ended it, if one did. Never rejects. */
  readonly done: Promise<{ readonly fault?: Error }>;
  /** Leaves: takes no further calls, ends those that run with their groups, answers them, closes. Only the first counts. */
  drain(reason: string): void;
  /** Ends every running command with its whole process group. */
  kill(): Promise<void>;
}

/**
 * Serves the commands of an application to MCP clients.
 * @throws {NothingToServeError} when there is nothing that could be served.
 */
export async function startMcp(options: McpStart): Promise<RunningMcp> {
  const { config, application, version, log, observer = silentObserver, open, timing } = options;
  const { mcp } = config.expose;
  if (mcp === undefined) throw new Error('the configuration has no block expose.agent.mcp');
  const lifecycle = new Lifecycle(log, observer);
  try {
    if (application === undefined) {
      throw new NothingToServeError('application_path is not set, and only the commands of an application are served');
    }
    const served = selectForSurface('mcp', application, config);
    warn(log, application, served);
    tellOfApprovals(log, config, served);
    // Loaded only now: the libraries behind it are large, and a file that serves nothing needs none of them.
    const { createMcpService } = await import('./service.ts');
    const slots = new Slots(mcp.maxConcurrentTools);
    const service = createMcpService({ config, mcp, version, tools: served.served, slots, log, observer, ...timing });
    observer.serving({ tools: factsOf(served, config.harness.confirmTags), slots });
    const front = await open(service);
    lifecycle.to('ready', 'clients are answered');
    return new Mcp({ lifecycle, service, front, served, log });
  } catch (error) {
    lifecycle.to('failed', 'the start failed');
    throw error;
  }
}

/** Everything an operator should know about the tools, once, at the start. */
function warn(log: Logger, application: LoadedApplication, served: ServedSelection): void {
  for (const { kind, tool, message } of [...application.notices, ...served.notices]) {
    log.warn({ kind, tool }, message);
  }
  for (const { tool, reason } of served.withheld) {
    log.warn({ tool: tool.name, tags: isTagged(tool) ? tool.tags : [], reason }, 'tool withheld from MCP clients');
  }
}

/** What becomes of the calls that need an approval. */
function tellOfApprovals(log: Logger, { expose, harness }: Config, { served }: ServedSelection): void {
  const mode = expose.mcp?.confirmOverMcp;
  const gated = served.filter((tool) => isConfirmable(tool) && tool.needsConfirm(harness.confirmTags));
  const tools = gated.map(({ name }) => name);
  if (mode === 'never') {
    log.warn({ tools }, 'confirm_over_mcp is never: tools that need an approval run without one');
  } else if (mode === 'auto') {
    log.warn(
      { tools },
      'confirm_over_mcp is auto: tools that need an approval run without one for clients that cannot ask',
    );
  } else if (tools.length > 0) {
    log.info({ tools }, 'tools that need an approval: clients that cannot ask a person for it are refused');
  }
}

/** How long processes that commands moved out of their groups may hold up the end, in ms. */
const STRAYS_MS = 1_500;

interface McpParts {
  readonly lifecycle: Lifecycle;
  readonly service: McpService;
  readonly front: McpFront;
  readonly served: ServedSelection;
  readonly log: Logger;
}

class Mcp implements RunningMcp {
  readonly served: ServedSelection;
  readonly done: Promise<{ readonly fault?: Error }>;
  readonly #parts: McpParts;
  readonly #finish: (end: { readonly fault?: Error }) => void;

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.served = parts.served;
    const { promise, resolve } = Promise.withResolvers<{ readonly fault?: Error }>();
    this.done = promise;
    this.#finish = resolve;
  }

  get state(): DaemonState {
    return this.#parts.lifecycle.state;
  }

  get running(): number {
    return this.#parts.service.inFlight;
  }

  drain(reason: string): void {
    void this.#leave(reason);
  }

  kill(): Promise<void> {
    return endLiveGroups(this.#parts.log);
  }

  async #leave(reason: string): Promise<void> {
    const { lifecycle, front, log } = this.#parts;
    if (lifecycle.state !== 'ready') return;
    lifecycle.to('draining', reason);
    let fault: Error | undefined;
    try {
      await front.close();
      // Whatever a client managed to start in the last moment does not outlive us.
      await endLiveGroups(log);
      await straysEnded(STRAYS_MS);
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error));
    }
    lifecycle.to(fault ? 'failed' : 'stopped', fault?.message ?? reason);
    this.#finish(fault ? { fault } : {});
  }
}
