import { NoRespondersError, withRemedy } from '../errors.ts';
import type { Connection } from '../nats/index.ts';
import type { ToolDescriptor } from '../protocol/index.ts';

/** A hint is worth no more waiting than this, in ms. */
const PATIENCE_MS = 1_500;

/** A call that was refused. */
export interface RefusedCall {
  readonly connection: Connection;
  readonly sender: string;
  readonly agent: string;
  readonly tool: string;
  /** JSON text of one object. */
  readonly input: string;
}

/** What the card of the agent lets suppose was meant. Never rejects; nothing when it has no idea. */
export async function whatWasMeant(code: string | undefined, call: RefusedCall): Promise<string | undefined> {
  if (code !== 'unknown_tool' && code !== 'invalid_input') return undefined;
  try {
    const { discover } = await import('../nats/index.ts');
    const { connection, agent, sender } = call;
    const { card } = await discover(connection, agent, { sender, timeoutMs: PATIENCE_MS });
    return await (code === 'unknown_tool' ? meantTool(card.tools ?? [], call) : meantArguments(card.tools ?? [], call));
  } catch {
    return undefined;
  }
}

async function meantTool(tools: readonly ToolDescriptor[], { tool }: RefusedCall): Promise<string | undefined> {
  const near = await nearestOf(
    tool,
    tools.map(({ name }) => name),
  );
  return near === undefined ? undefined : `Did you mean ${near}?`;
}

async function meantArguments(tools: readonly ToolDescriptor[], call: RefusedCall): Promise<string | undefined> {
  const known = Object.keys(tools.find(({ name }) => name === call.tool)?.input_schema?.['properties'] ?? {});
  const unknown = Object.keys(JSON.parse(call.input)).filter((name) => !known.includes(name));
  const pairs = await Promise.all(unknown.map(async (name) => [name, await nearestOf(name, known)] as const));
  const meant = pairs.filter(([, near]) => near !== undefined).map(([name, near]) => `${near} for ${name}`);
  return meant.length === 0 ? undefined : `Did you mean ${meant.join(', ')}?`;
}

/**
 * Adds who was probably meant to the failure that nobody of that name answers, from a short look at who is there.
 * Never rejects, and gives back every other failure as it is.
 */
export async function withAgentMeant(error: unknown, connection: Connection, agent: string): Promise<unknown> {
  if (!(error instanceof NoRespondersError)) return error;
  try {
    const { listAgents } = await import('../nats/index.ts');
    const there = (await listAgents(connection, { timeoutMs: PATIENCE_MS })).map(({ identity }) => identity);
    const near = await nearestOf(agent, there);
    return near === undefined ? error : withRemedy(error, `Did you mean ${near}? ${error.remedy}`);
  } catch {
    return error;
  }
}

async function nearestOf(word: string, candidates: readonly string[]): Promise<string | undefined> {
  const { nearest } = await import('../config/index.ts');
  return nearest(word, candidates);
}
