import type { ToolFacts } from '../../observe/index.ts';
import {
  type Behavior,
  describeCall,
  isBehaviorDescriber,
  isConfirmable,
  type Kind,
  type ServedSelection,
  type Tool,
} from '../../tools/index.ts';

/** Who stands behind a tool. The same for all its calls. */
export function kindOf(tool: Tool): Kind {
  return describeCall(tool).kind;
}

/** Every tool that was considered, the served ones first, as an operator sees them. */
export function factsOf({ served, withheld }: ServedSelection, confirmTags: readonly string[]): ToolFacts[] {
  return [
    ...served.map((tool) => factsOfTool(tool, confirmTags)),
    ...withheld.map(({ tool, reason }) => ({ ...factsOfTool(tool, confirmTags), withheld: reason })),
  ];
}

function factsOfTool(tool: Tool, confirmTags: readonly string[]): ToolFacts {
  return {
    name: tool.name,
    kind: kindOf(tool),
    behavior: isBehaviorDescriber(tool) ? behaviorWords(tool.behavior()) : [],
    gate: isConfirmable(tool) ? tool.confirmTrigger(confirmTags) : undefined,
  };
}

function behaviorWords({ readOnly, destructive, idempotent, openWorld }: Behavior): string[] {
  return [
    readOnly ? 'read-only' : '',
    destructive === true ? 'destructive' : '',
    destructive === false ? 'additive' : '',
    idempotent ? 'idempotent' : '',
    openWorld ? 'open world' : '',
  ].filter((word) => word !== '');
}
