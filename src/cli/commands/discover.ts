import { ToolUnknownError } from '../../errors.ts';
import type { AgentSummary, Connection, Discovered } from '../../nats/index.ts';
import type { AgentCard, ToolDescriptor } from '../../protocol/index.ts';
import { withAgentMeant } from '../advice.ts';
import { failureClass } from '../failure.ts';
import type { CommandContext } from '../program.ts';
import { renderAgents } from '../render/agents.ts';
import { renderCard } from '../render/card.ts';
import { startSpinner } from '../render/spinner.ts';
import { renderTool } from '../render/tool.ts';
import { StoppedError, stoppable } from '../signals.ts';
import { resolveTarget, type Target } from '../target.ts';

/** How long a card is waited for when no file says, in ms. */
const CARD_TIMEOUT_MS = 30_000;
/** Each card may be as large as a message. */
const CARDS_AT_A_TIME = 100;

/** Shows one agent's card or one of its tools, or lists all agents that answer. Every failure is exit code 1. */
export async function run(context: CommandContext): Promise<number> {
  const [agent, tool] = context.args as [string?, string?];
  const answer = () => (agent === undefined ? list(context) : show(context, agent, tool));
  if (!context.flags.json) return answer();
  try {
    return await answer();
  } catch (error) {
    if (error instanceof StoppedError) throw error;
    const reachable = error instanceof ToolUnknownError;
    context.terminal.out.json({ ...(agent === undefined ? {} : { agent, reachable }), ...failure(error) });
    return 1;
  }
}

async function show(context: CommandContext, agent: string, name: string | undefined): Promise<number> {
  const { terminal, flags } = context;
  const { discoverySubject } = await import('../../protocol/index.ts');
  // An illegal name is refused before anything is opened.
  discoverySubject(agent);
  const target = await targetOf(context);
  const found = await connected(target, async (connection) => {
    const spinner = startSpinner(terminal.err, `asking ${agent} for its card`);
    try {
      return await fetchCard(connection, agent, target);
    } catch (error) {
      throw await withAgentMeant(error, connection, agent);
    } finally {
      spinner.stop();
    }
  });
  if (name === undefined) {
    if (flags.json) terminal.out.json(cardJson(agent, found));
    else terminal.out.write(renderCard(agent, found.card, terminal.out.style));
    return 0;
  }
  const tool = await toolOf(found.card, agent, name);
  if (flags.json) terminal.out.json({ agent, reachable: true, rtt_ms: rounded(found.rttMs), tool });
  else terminal.out.write(renderTool(agent, tool, terminal.out.style));
  return 0;
}

async function toolOf({ tools = [] }: AgentCard, agent: string, name: string): Promise<ToolDescriptor> {
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const { nearest } = await import('../../config/index.ts');
  const near = nearest(
    name,
    tools.map((tool) => tool.name),
  );
  throw new ToolUnknownError(
    `${agent} has no tool ${JSON.stringify(name)} on its card${near === undefined ? '' : `; did you mean ${near}?`}`,
  );
}

async function list(context: CommandContext): Promise<number> {
  const { terminal, flags } = context;
  const target = await targetOf(context);
  const { listAgents, MOST_AGENTS } = await import('../../nats/index.ts');
  return connected(target, async (connection) => {
    const spinner = startSpinner(terminal.err, 'asking who is there');
    const agents = await listAgents(connection).finally(() => spinner.stop());
    if (agents.length === MOST_AGENTS) terminal.err.warning(`there may be more than these ${MOST_AGENTS} agents`);
    if (!flags.json) {
      terminal.out.write(renderAgents(agents, terminal.out.style));
      return 0;
    }
    const found: object[] = [];
    for (let at = 0; at < agents.length; at += CARDS_AT_A_TIME) {
      const some = agents.slice(at, at + CARDS_AT_A_TIME);
      found.push(...(await Promise.all(some.map((agent) => agentJson(connection, agent, target)))));
    }
    terminal.out.json({ agents: found });
    return 0;
  });
}

async function agentJson(connection: Connection, agent: AgentSummary, target: Target): Promise<object> {
  const summary = { members: agent.members, serves_tools: agent.tools, answers_prompts: agent.prompts };
  try {
    return { ...cardJson(agent.identity, await fetchCard(connection, agent.identity, target)), ...summary };
  } catch (error) {
    return { agent: agent.identity, reachable: false, ...failure(error), ...summary };
  }
}

async function fetchCard(connection: Connection, agent: string, target: Target): Promise<Discovered> {
  const { discover } = await import('../../nats/index.ts');
  return discover(connection, agent, {
    sender: target.sender,
    timeoutMs: target.requestTimeoutMs ?? CARD_TIMEOUT_MS,
  });
}

function targetOf({ flags, typed, env, terminal }: CommandContext): Promise<Target> {
  return resolveTarget({ flags, typed, env, notice: (text) => terminal.err.warning(text) });
}

async function connected<Result>(target: Target, use: (connection: Connection) => Promise<Result>): Promise<Result> {
  const connection = await stoppable((signal) => target.connect(signal));
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

/** The card without what only its journey needed, plus what was learnt on the way. */
function cardJson(agent: string, { card, rttMs }: Discovered): object {
  const { name, version, description, model, protocols, tools, telemetry, telemetry_content } = card;
  const body = { name, version, description, model, protocols, tools: tools ?? [], telemetry, telemetry_content };
  return { agent, reachable: true, rtt_ms: rounded(rttMs), ...body };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function failure(error: unknown): object {
  return { error: failureClass(error) };
}
