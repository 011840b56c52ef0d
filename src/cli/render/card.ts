import type { AgentCard } from '../../protocol/index.ts';
import { summary } from './description.ts';
import { renderDocument, row, rowOf } from './layout.ts';
import { type Style, unstyled } from './style.ts';
import { renderTable } from './table.ts';
import { cut, oneLine, plain } from './text.ts';

/** Characters of a description that the table of tools shows. */
const DESCRIPTION_LIMIT = 60;

/**
 * Lays out an agent's card: a block about the agent, a blank line, its tools.
 * @param agent the identity that was asked for.
 */
export function renderCard(agent: string, card: AgentCard, style: Style = unstyled): string {
  const head = renderDocument(
    {
      heading: `Agent Card for ${style.bold(agent)}`,
      rows: [
        row('Agent', oneLine(card.name)),
        row('Version', oneLine(card.version)),
        row('Model', oneLine(card.model ?? '')),
        rowOf(
          'Description',
          plain(card.description ?? '')
            .trim()
            .split('\n'),
        ),
        rowOf('Protocols', (card.protocols ?? []).map(oneLine)),
        row('Telemetry', card.telemetry_content ? 'exports conversation content to a collector' : undefined),
      ],
    },
    style,
  );
  return `${head}\n${renderTools(card, style)}`;
}

function renderTools(card: AgentCard, style: Style): string {
  const tools = card.tools ?? [];
  if (tools.length === 0) return '    It serves no tools to peers.\n';
  return renderTable(
    ['Tool', 'Description'],
    tools.map((tool) => [oneLine(tool.name), cut(summary(tool.description), DESCRIPTION_LIMIT)]),
    { style },
  );
}
