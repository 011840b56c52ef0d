/** The tools of one agent at one moment. Nothing in a set ever changes; a change is another set. */
import { ToolNameDuplicateError } from '../errors.ts';
import { isConfirmable } from './capabilities.ts';
import type { Tool, ToolDefinition } from './contract.ts';

export interface ToolSet {
  /** By name, in the order they were given. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly definitions: readonly ToolDefinition[];
  /** Whether the definitions are kept from the model until it searches for them. */
  readonly deferred: boolean;
}

/** Throws ToolNameDuplicateError when two tools have one name. */
export function createToolSet(tools: readonly Tool[]): ToolSet {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const holder = byName.get(tool.name);
    if (holder !== undefined) throw duplicateName(tool.name, commandOf(holder), commandOf(tool));
    byName.set(tool.name, tool);
  }
  const definitions = Object.freeze(tools.map((tool) => Object.freeze(tool.definition(false))));
  return Object.freeze({ tools: byName, definitions, deferred: false });
}

/** The failure of two commands that come to one tool name. */
export function duplicateName(name: string, first: string, second: string): ToolNameDuplicateError {
  return new ToolNameDuplicateError(
    `the commands ${JSON.stringify(first)} and ${JSON.stringify(second)} both become the tool ${JSON.stringify(name)}`,
  );
}

function commandOf(tool: Tool): string {
  return isConfirmable(tool) ? tool.command : tool.name;
}
