/** From a binary to the tools that its operator wants of it. */
import type { NameFilter } from '../../config/index.ts';
import { RuleReader } from '../arguments/rules.ts';
import { CONFIRM_TAG } from '../behavior.ts';
import type { ToolNotice } from '../notices.ts';
import { type Selectable, TOOL_NAME, unmatchedEntries, whyFiltered } from '../selection.ts';
import { buildTool } from './build.ts';
import type { CommandTool } from './command-tool.ts';
import { exposedGlobals, type GlobalFlagInfo, listGlobals } from './globals.ts';
import { type IntrospectOptions, introspect } from './introspect.ts';
import { type Leaf, visibleLeaves } from './leaves.ts';

export interface LoadOptions extends IntrospectOptions {
  /** Names of application flags that calls may use, without dashes. */
  readonly globalFlags: readonly string[];
  /** Where the flag with that index is listed, for a message. */
  readonly globalFlagPlace?: (index: number) => string;
  readonly include: NameFilter;
  readonly exclude: NameFilter;
  /** The operator's own tags that ask for an approval. */
  readonly confirmTags: readonly string[];
}

export interface RemovedCommand {
  readonly name: string;
  readonly command: string;
  readonly reason: string;
}

export interface LoadedApplication {
  readonly path: string;
  /** As the application calls itself. */
  readonly name: string;
  /** What it says of itself in a line; may be empty. */
  readonly help: string;
  readonly version: string;
  /** In the order the commands are declared. */
  readonly tools: readonly CommandTool[];
  /** What is left out and why, in the same order. */
  readonly removed: readonly RemovedCommand[];
  readonly notices: readonly ToolNotice[];
  readonly globals: readonly GlobalFlagInfo[];
}

const MAX_NAME_LENGTH = 128;
/** Some model providers take no longer name. */
const PORTABLE_NAME_LENGTH = 64;

/**
 * Introspects an application once and builds its tools.
 *
 * Throws IntrospectionError, ApplicationDocumentError, SchemaMissingError, ToolNameDuplicateError,
 * GlobalFlagUnknownError or GlobalFlagRefusedError. An application without commands is no failure.
 */
export async function loadApplication(options: LoadOptions): Promise<LoadedApplication> {
  const document = await introspect(options);
  const leaves = visibleLeaves(document);
  const exposed = exposedGlobals(document.flags, options.globalFlags, options.globalFlagPlace);
  const candidates = leaves.map(selectable);
  const notices: ToolNotice[] = [
    ...unmatchedEntries('include', options.include, candidates),
    ...unmatchedEntries('exclude', options.exclude, candidates),
  ];
  const { kept, removed } = divide(leaves, options, notices);

  const binary = { path: options.path, environment: options.environment };
  const rules = new RuleReader();
  const tools: CommandTool[] = [];
  for (const leaf of kept) {
    const built = buildTool(leaf, { binary, exposedGlobals: exposed, rules });
    tools.push(built.tool);
    notices.push(...built.notices);
  }
  notices.push(...unmatchedConfirmTags(options.confirmTags, tools));
  return Object.freeze({
    path: options.path,
    name: document.name,
    help: document.help,
    version: document.version,
    tools: Object.freeze(tools),
    removed,
    notices,
    globals: listGlobals(document.flags, exposed),
  });
}

function divide(
  leaves: readonly Leaf[],
  options: LoadOptions,
  notices: ToolNotice[],
): { kept: Leaf[]; removed: RemovedCommand[] } {
  const kept: Leaf[] = [];
  const removed: RemovedCommand[] = [];
  for (const leaf of leaves) {
    const reason = whyFiltered(selectable(leaf), options) ?? whyUnusable(leaf, notices);
    if (reason === undefined) kept.push(leaf);
    else removed.push({ name: leaf.toolName, command: leaf.command, reason });
  }
  return { kept, removed };
}

/** One name that a model provider refuses would fail every request of a run, so the tool is left out, never renamed. */
function whyUnusable({ toolName, command }: Leaf, notices: ToolNotice[]): string | undefined {
  const of = `the command ${JSON.stringify(command)}`;
  if (!TOOL_NAME.test(toolName) || toolName.length > MAX_NAME_LENGTH) {
    const reason = `its name is not 1 to ${MAX_NAME_LENGTH} letters, digits, _ and -`;
    notices.push({ kind: 'tool_name_invalid', tool: toolName, message: `${of} is left out: ${reason}` });
    return reason;
  }
  if (toolName.length > PORTABLE_NAME_LENGTH) {
    const message = `${of} has a name of ${toolName.length} characters; some models take ${PORTABLE_NAME_LENGTH} at most`;
    notices.push({ kind: 'tool_name_long', tool: toolName, message });
  }
  return undefined;
}

function unmatchedConfirmTags(confirmTags: readonly string[], tools: readonly CommandTool[]): ToolNotice[] {
  return confirmTags
    .filter((tag) => tag !== CONFIRM_TAG && !tools.some((tool) => tool.tags.includes(tag)))
    .map((tag) => ({
      kind: 'confirm_tag_unmatched',
      message: `harness.confirm_tags: no command carries the tag ${JSON.stringify(tag)}`,
    }));
}

function selectable(leaf: Leaf): Selectable {
  return { name: leaf.toolName, tags: leaf.document.tags };
}
