import { NothingEnabledError, withRemedy } from '../errors.ts';
import type { Config } from './types.ts';

/** What a configuration asks fisk serve to run, in the order it is started. */
export function enabledEndpoints(config: Config): ('jobs' | 'prompts' | 'tools')[] {
  const { jobs, a2a } = config.expose;
  return [
    ...(jobs === undefined ? [] : (['jobs'] as const)),
    ...(a2a.prompts === undefined ? [] : (['prompts'] as const)),
    ...(a2a.serveTools ? (['tools'] as const) : []),
  ];
}

/** The error of fisk serve for a file that enables nothing; it shows what to write. */
export function nothingEnabled(path: string): NothingEnabledError {
  return new NothingEnabledError(`${path} enables no endpoint, so there is nothing to serve.

To serve the application's commands as tools to peers, write:

    expose:
      agent:
        a2a:
          serve_tools: true

Later versions of fisk serve will do more; this one refuses both of these.

To answer prompts of peers:

    expose:
      agent:
        a2a:
          prompts: {}

To take jobs from a queue (by default the queue FISK_AI and the task type fisk-ai:run):

    expose:
      agent:
        jobs: {}
`);
}

/** The error of fisk mcp for a file without the block that it needs; it shows what to write. */
export function mcpNotEnabled(path: string): NothingEnabledError {
  return withRemedy(
    new NothingEnabledError(`${path} has no block expose.agent.mcp, so nothing is served over MCP.

To serve the application's commands as tools to MCP clients, write:

    expose:
      agent:
        mcp: {}
`),
    'Add the block expose.agent.mcp.',
  );
}
