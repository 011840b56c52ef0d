import type { Connection } from '../nats/index.ts';
import type { CardBody } from '../protocol/index.ts';
import type { Lookup, TypedFlags } from './complete.ts';
import { DEFAULT_CONFIG } from './flags.ts';
import { resolveTarget } from './target.ts';

/** A person waits with a finger on a key. */
const PATIENCE_MS = 1_500;

/** Candidates for completion from the agents that answer. What cannot be reached has none: no error is ever shown. */
export function lookup(env: NodeJS.ProcessEnv): Lookup {
  const ask = async <Answer>(
    typed: TypedFlags,
    nothing: Answer,
    question: (connection: Connection, sender: string) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      const flags = { config: DEFAULT_CONFIG, ...Object.fromEntries(typed) };
      const target = await resolveTarget({ flags, typed: (flag) => typed.has(flag), env, notice: () => {} });
      const connection = await target.connect(AbortSignal.timeout(PATIENCE_MS));
      try {
        return await question(connection, target.sender);
      } finally {
        await connection.close();
      }
    } catch {
      return nothing;
    }
  };
  const card = async (connection: Connection, sender: string, agent: string): Promise<CardBody> => {
    const { discover } = await import('../nats/index.ts');
    return (await discover(connection, agent, { sender, timeoutMs: PATIENCE_MS })).card;
  };
  return {
    agents: (typed) =>
      ask(typed, [], async (connection) => {
        const { listAgents } = await import('../nats/index.ts');
        return (await listAgents(connection)).map((agent) => agent.identity);
      }),
    tools: (agent, typed) =>
      ask(typed, [], async (connection, sender) =>
        ((await card(connection, sender, agent)).tools ?? []).map((tool) => tool.name),
      ),
    properties: (agent, tool, typed) =>
      ask(typed, new Map(), async (connection, sender) => {
        const found = (await card(connection, sender, agent)).tools?.find((candidate) => candidate.name === tool);
        const properties = Object.entries(found?.input_schema?.['properties'] ?? {});
        return new Map(properties.map(([name, schema]) => [name, valuesOf(schema)]));
      }),
    contexts: async () => {
      const { contextNames } = await import('../config/index.ts');
      return contextNames(env);
    },
  };
}

/** The values that the schema of a property lists, or of the elements of a list. */
function valuesOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, enum: allowed, items } = schema as { type?: unknown; enum?: unknown; items?: unknown };
  if (Array.isArray(allowed)) return allowed.filter((value) => typeof value === 'string');
  if (type === 'boolean') return ['true', 'false'];
  return type === 'array' ? valuesOf(items) : [];
}
