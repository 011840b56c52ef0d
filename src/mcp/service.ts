import { setImmediate } from 'node:timers/promises';
import type { Config, McpConfig } from '../config/index.ts';
import { type Logger, type ServeObserver, StormLog } from '../observe/index.ts';
import type { Slots } from '../process/index.ts';
import { createToolSet, type Tool } from '../tools/index.ts';
import { showsForms } from './approval/answer.ts';
import { APPROVAL_MS, Gate } from './approval/gate.ts';
import { Seals } from './approval/seals.ts';
import { Bounds } from './calls/bounds.ts';
import { MOST_WAITING, ToolCalls } from './calls/tool-calls.ts';
import type { McpService } from './contract.ts';
import { listTools } from './descriptors.ts';
import { createMcpServer } from './server.ts';

/** Times of a service, in ms. */
export interface McpTiming {
  /** How long a person has to answer. */
  readonly approvalMs?: number;
  /** Between two notes of progress. */
  readonly progressMs?: number;
  /** A clock that never goes back. */
  readonly now?: () => number;
}

export interface ServiceOptions extends McpTiming {
  readonly config: Config;
  readonly mcp: McpConfig;
  /** What this program calls its version. */
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly slots: Slots;
  readonly log: Logger;
  readonly observer?: ServeObserver | undefined;
}

/** How long calls in flight have to be answered when we leave, in ms: as long as a group may take to be gone, and a little. */
const DRAIN_MS = 4_500;

/** Builds everything that answers MCP clients, once for all of them. */
export function createMcpService(options: ServiceOptions): McpService {
  const { config, mcp, version, tools, slots, log, observer, approvalMs = APPROVAL_MS, progressMs, now } = options;
  const { identity, harness } = config;
  const storms = new StormLog(log);
  const gate = new Gate({
    mode: mcp.confirmOverMcp,
    seals: new Seals({ lifetimeMs: approvalMs, ...(now && { now }) }),
    waiting: new Bounds(MOST_WAITING.total, MOST_WAITING.each),
    timeoutMs: approvalMs,
    log,
    storms,
  });
  const calls = new ToolCalls({
    identity,
    tools: createToolSet(tools).tools,
    confirmTags: harness.confirmTags,
    gate,
    slots,
    timeoutMs: mcp.toolTimeoutMs,
    log,
    storms,
    observer,
    progressMs,
  });
  const { instructions } = mcp;
  const treatment = (elicitation: unknown) => treatmentOf(mcp.confirmOverMcp, elicitation);
  const parts = { identity, version, instructions, listed: listTools(tools), calls, log, treatment };
  return {
    createServer: (client) => createMcpServer(parts, client),
    get inFlight() {
      return calls.inFlight;
    },
    drain: async () => {
      await calls.drain(DRAIN_MS);
      // The library sends an answer a few turns after it has it.
      await setImmediate();
      storms.close();
    },
  };
}

function treatmentOf(mode: McpConfig['confirmOverMcp'], elicitation: unknown): string {
  if (mode === 'never') return 'not needed';
  if (showsForms(elicitation)) return 'asked for';
  return mode === 'auto' && elicitation === undefined ? 'not asked for, and run' : 'refused';
}
