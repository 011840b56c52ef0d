import type { Connection } from '../nats/index.ts';
import type { CardBody } from '../protocol/index.ts';
import type { Lookup, TypedFlags } from './complete.ts';
import { DEFAULT_CONFIG } from './flags.ts';
import { resolveTarget } from './target.ts';

/** A person waits with a finger on a key. */
const PATIENCE_MS = 1_500;

/** Candidates for completion from the agents that answer. What cannot be reached has none: no error is ever shown. */
export function lookup(env: NodeJS.ProcessEnv): Lookup {
  const ask = async (typed: TypedFlags, question: (connection: Connection, sender: string) => Promise<string[]>) => {
    try {
      const flags = { config: DEFAULT_CONFIG, ...Object.fromEntries(typed) };
      const target = await resolveTarget({ flags, typed: (flag) => typed.has(flag), env, notice: () => {} });
      const connection = await target.connect();
      try {
        return await question(connection, target.sender);
      } finally {
        await connection.close();
      }
    } catch {
      return [];
    }
  };
  const card = async (connection: Connection, sender: string, agent: string): Promise<CardBody> => {
    const { discover } = await import('../nats/index.ts');
    return (await discover(connection, agent, { sender, timeoutMs: PATIENCE_MS })).card;
  };
  return {
    agents: (typed) =>
      ask(typed, async (connection) => {
        const { listAgents } = await import('../nats/index.ts');
        return (await listAgents(connection)).map((agent) => agent.identity);
      }),
    tools: (agent, typed) =>
      ask(typed, async (connection, sender) =>
        ((await card(connection, sender, agent)).tools ?? []).map((tool) => tool.name),
      ),
    properties: (agent, tool, typed) =>
      ask(typed, async (connection, sender) => {
        const found = (await card(connection, sender, agent)).tools?.find((candidate) => candidate.name === tool);
        return Object.keys(found?.input_schema?.['properties'] ?? {});
      }),
  };
}
