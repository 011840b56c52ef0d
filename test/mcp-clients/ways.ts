/** The two ways to the depot of the examples over MCP, for clients of others. */
import { after, before } from 'node:test';
import { depot, fiskEntry } from '../support/fisk.ts';
import { type McpDaemon, mcpConfig, startMcpDaemon } from '../support/mcp-daemon.ts';
import { tempDir } from '../support/tmp.ts';

export interface Way {
  readonly way: 'stdio' | 'HTTP';
  /** For a client that starts the server. */
  readonly command?: readonly string[];
  /** Known once the tests run. */
  readonly url?: () => string;
}

const options = { identity: 'depot', application: depot };

/** Serves the depot until the tests of the file are over. */
export function bothWays(run: boolean): readonly Way[] {
  let daemon: McpDaemon | undefined;
  before(async () => {
    if (run) daemon = await startMcpDaemon({ ...options, env: depotEnv });
  });
  after(() => daemon?.running.stop());
  return [
    { way: 'stdio', command: [process.execPath, fiskEntry, 'mcp', '--stdio', '--config', mcpConfig(options)] },
    { way: 'HTTP', url: () => daemon?.url ?? '' },
  ];
}

/** A depot of its own for the file. */
export const depotEnv: NodeJS.ProcessEnv = { ...process.env, DEPOT_STORE: `${tempDir()}/parts.json` };
