import type { AgentSummary } from '../../nats/index.ts';
import { type Style, unstyled } from './style.ts';
import { renderTable } from './table.ts';
import { oneLine } from './text.ts';

/** Lays out the agents that answered, one a row. */
export function renderAgents(agents: readonly AgentSummary[], style: Style = unstyled): string {
  if (agents.length === 0) return 'No agents answer.\n';
  const rows = agents.map((agent) => [oneLine(agent.identity), String(agent.members), serves(agent)]);
  return renderTable(['Agent', 'Members', 'Serves'], rows, { indent: 0, style });
}

function serves({ tools, prompts }: AgentSummary): string {
  return [tools ? 'tools' : '', prompts ? 'prompts' : ''].filter((what) => what !== '').join(', ') || 'nothing';
}
