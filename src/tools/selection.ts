/** Which tools remain after an operator's filters, and which of those may be served, and where. */
import type { NameFilter } from '../config/index.ts';
import type { Surface } from '../observe/index.ts';
import { DENY_TAG } from './behavior.ts';
import { isConfirmable, isTagged } from './capabilities.ts';
import type { Tool } from './contract.ts';
import type { ToolNotice } from './notices.ts';

/** What a filter looks at. */
export interface Selectable {
  readonly name: string;
  readonly tags: readonly string[];
}

export interface Filters {
  readonly include: NameFilter;
  readonly exclude: NameFilter;
}

/** What every tool name must look like before a model, a card or a list may carry it. */
export const TOOL_NAME = /^[A-Za-z0-9_-]+$/;

/** Whether any expression is found in the name or any tag is carried; the empty tag stands for carrying none. */
function matchesFilter(filter: NameFilter, candidate: Selectable): boolean {
  return (
    filter.tools.some((pattern) => pattern.test(candidate.name)) ||
    filter.tags.some((tag) => carriesTag(candidate, tag))
  );
}

function carriesTag(candidate: Selectable, tag: string): boolean {
  return tag === '' ? candidate.tags.length === 0 : candidate.tags.includes(tag);
}

/** Why an agent's own filters leave a tool out, undefined when they keep it. Being denied is beyond any filter. */
export function whyFiltered(candidate: Selectable, { include, exclude }: Filters): string | undefined {
  if (candidate.tags.includes(DENY_TAG)) return `tagged ${DENY_TAG}`;
  return whyNarrowed(candidate, { include, exclude });
}

function whyNarrowed(candidate: Selectable, { include, exclude }: Filters): string | undefined {
  if (!isEmpty(include) && !matchesFilter(include, candidate)) return 'not included';
  if (matchesFilter(exclude, candidate)) return 'excluded';
  return undefined;
}

/** One notice for each entry of a filter that matches none of the candidates. `key` is where the filter is configured. */
export function unmatchedEntries(key: string, filter: NameFilter, candidates: readonly Selectable[]): ToolNotice[] {
  const unmatched = (list: 'tools' | 'tags', entry: string): ToolNotice => ({
    kind: 'filter_unmatched',
    message: `${key}.${list}: ${JSON.stringify(entry)} matches no tool`,
  });
  return [
    ...filter.tools
      .filter((pattern) => !candidates.some((candidate) => pattern.test(candidate.name)))
      .map((pattern) => unmatched('tools', pattern.source)),
    ...filter.tags
      .filter((tag) => !candidates.some((candidate) => carriesTag(candidate, tag)))
      .map((tag) => unmatched('tags', tag)),
  ];
}

export interface WithheldTool {
  readonly tool: Tool;
  readonly reason: string;
}

export interface ServedSelection {
  /** In the order they were given. */
  readonly served: readonly Tool[];
  readonly withheld: readonly WithheldTool[];
  readonly notices: readonly ToolNotice[];
}

export interface ServedOptions extends Filters {
  readonly confirmTags: readonly string[];
  /** Where it is served; to peers when absent. */
  readonly surface?: Surface;
}

/** Decides what is served on one surface. The filters are those of `expose.agent.tools`. */
export function selectServed(tools: readonly Tool[], options: ServedOptions): ServedSelection {
  const served: Tool[] = [];
  const withheld: WithheldTool[] = [];
  for (const tool of tools) {
    const reason = whyWithheld(tool, options);
    if (reason === undefined) served.push(tool);
    else withheld.push({ tool, reason });
  }
  const candidates = tools.map(selectable);
  const notices = [
    ...unmatchedEntries('expose.agent.tools.include', options.include, candidates),
    ...unmatchedEntries('expose.agent.tools.exclude', options.exclude, candidates),
  ];
  return { served, withheld, notices };
}

function whyWithheld(tool: Tool, options: ServedOptions): string | undefined {
  const filtered = whyNarrowed(selectable(tool), options);
  if (filtered !== undefined) return filtered;
  const { surface = 'a2a', confirmTags } = options;
  if (!(surface === 'a2a' ? tool.a2aExposable : tool.mcpExposable)) {
    return `this kind of tool is never served ${surface === 'a2a' ? 'to peers' : 'over MCP'}`;
  }
  if (!isConfirmable(tool)) return 'it cannot say whether it needs an approval';
  if (surface === 'a2a') {
    // Over MCP somebody can be asked.
    const trigger = tool.confirmTrigger(confirmTags);
    if (trigger !== undefined) return `needs an approval (${trigger}) and nobody could give it`;
  }
  if (!TOOL_NAME.test(tool.name)) return 'its name holds characters other than letters, digits, _ and -';
  if (tool.modelDescription === '') return 'it has no description';
  return undefined;
}

function selectable(tool: Tool): Selectable {
  return { name: tool.name, tags: isTagged(tool) ? tool.tags : [] };
}

function isEmpty(filter: NameFilter): boolean {
  return filter.tools.length === 0 && filter.tags.length === 0;
}
