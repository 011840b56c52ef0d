/** The commands that become tools: those that have no subcommands and are not hidden, nor below something hidden. */
import { ApplicationDocumentError, SchemaMissingError } from '../../errors.ts';
import { duplicateName } from '../tool-set.ts';
import type { ApplicationDocument, CommandDocument } from './document.ts';

export interface Leaf {
  readonly path: readonly string[];
  /** The path joined with underscores. */
  readonly toolName: string;
  /** The path joined with spaces. */
  readonly command: string;
  readonly document: CommandDocument;
}

/** More tools than this are taken for a mistake. */
const MAX_TOOLS = 4096;

/**
 * All leaves in the order they are declared, depth first, before any filter: a command that an operator excludes must be
 * as sound as the others.
 *
 * Throws SchemaMissingError, ToolNameDuplicateError, and ApplicationDocumentError for too many.
 */
export function visibleLeaves(document: ApplicationDocument): Leaf[] {
  const leaves = [...walk(document.commands, [])];
  if (leaves.length > MAX_TOOLS) {
    throw new ApplicationDocumentError(`${leaves.length} commands are more than the ${MAX_TOOLS} that are accepted`);
  }
  const byName = new Map<string, Leaf>();
  for (const leaf of leaves) {
    if (leaf.document.restrictedSchema === undefined) {
      const other = leaf.document.schema === undefined ? '' : ', although it has a schema';
      throw new SchemaMissingError(
        `the command ${JSON.stringify(leaf.command)} has no restricted_schema in what --fisk-introspect prints${other}`,
      );
    }
    const holder = byName.get(leaf.toolName);
    if (holder !== undefined) throw duplicateName(leaf.toolName, holder.command, leaf.command);
    byName.set(leaf.toolName, leaf);
  }
  return leaves;
}

function* walk(commands: readonly CommandDocument[], parents: readonly string[]): Generator<Leaf> {
  for (const document of commands) {
    if (document.hidden) continue;
    const path = [...parents, document.name];
    if (document.commands.length > 0) yield* walk(document.commands, path);
    else yield { path, toolName: path.join('_'), command: path.join(' '), document };
  }
}

/** What a model or a peer is told. Readers find the tags behind the last `"\n\nTags: "`. */
export function modelDescription(leaf: Leaf): string {
  const help = combinedHelp(leaf.document) || `Runs the command ${leaf.command}`;
  const { tags } = leaf.document;
  return tags.length === 0 ? help : `${help}\n\nTags: ${tags.join(', ')}`;
}

/** What a person is told. */
export function plainDescription({ document }: Leaf): string {
  return document.help || document.helpLong;
}

function combinedHelp({ help, helpLong }: CommandDocument): string {
  if (helpLong.includes(help)) return helpLong;
  if (help.includes(helpLong)) return help;
  return `${help}\n\n${helpLong}`;
}
