/** Makes the tool of one command, and says what about its description an operator should know. */

import { MAX_DEPTH } from '../../protocol/index.ts';
import type { Rule, RuleReader } from '../arguments/rules.ts';
import { RESERVED_TAGS, readTags } from '../behavior.ts';
import type { JsonObject } from '../contract.ts';
import type { NoticeKind, ToolNotice } from '../notices.ts';
import { type Binary, CommandTool } from './command-tool.ts';
import { type FlagDocument, isObject, nestsWithin } from './document.ts';
import { globalsFor } from './globals.ts';
import type { Leaf } from './leaves.ts';
import { type Parameters, parametersOf } from './parameters.ts';
import { mergeSchema } from './schema.ts';

export interface BuildOptions {
  readonly binary: Binary;
  readonly exposedGlobals: readonly FlagDocument[];
  readonly rules: RuleReader;
}

type Complain = (kind: NoticeKind, message: string) => void;

/** A card holds a schema in a tool, that in a list, and that in itself; a deeper one would make the card unreadable. */
const MAX_SCHEMA_LEVELS = MAX_DEPTH - 3;

export function buildTool(leaf: Leaf, options: BuildOptions): { tool: CommandTool; notices: readonly ToolNotice[] } {
  const notices: ToolNotice[] = [];
  const complain: Complain = (kind, message) =>
    notices.push({ kind, tool: leaf.toolName, message: `${leaf.toolName}: ${message}` });
  const { document } = leaf;
  const globals = globalsFor(document, options.exposedGlobals);
  const parameters = parametersOf(document, globals);
  const changes = { globals, replaced: parameters.shared.filter((arg) => arg.takesValue) };
  const shown = mergeSchema(objectSchema(document.restrictedSchema, complain), changes);
  const judged = document.schema && mergeSchema(document.schema, changes);

  sayTags(leaf, complain);
  sayShared(parameters, complain);
  const names = Object.keys(propertiesOf(shown)).filter((name) => canRender(name, parameters, complain));
  const advertised = {
    rules: readRules(names, judged, parameters, options.rules, complain),
    required: requiredOf(shown, names, complain),
  };
  return {
    tool: new CommandTool({ leaf, binary: options.binary, inputSchema: shown, parameters, advertised }),
    notices,
  };
}

/** What a peer or a model is shown must describe an object, whatever the application published. */
function objectSchema(schema: JsonObject | undefined, complain: Complain): JsonObject {
  const describesObject = schema?.['type'] === 'object' && isObject(schema['properties'] ?? {});
  if (schema !== undefined && describesObject && nestsWithin(schema, MAX_SCHEMA_LEVELS)) return schema;
  const why = describesObject ? 'is nested too deeply for a message' : 'describes no object';
  complain('schema_unusable', `its schema ${why}; it is shown without any arguments`);
  return { type: 'object' };
}

function readRules(
  names: readonly string[],
  judged: JsonObject | undefined,
  parameters: Parameters,
  rules: RuleReader,
  complain: Complain,
): Map<string, Rule | undefined> {
  const properties = judged === undefined ? {} : propertiesOf(judged);
  // The published schema of a flag that counts is a list, which no one can mean; the renderer knows better.
  const counters = new Set(parameters.flags.filter((flag) => flag.boolean && flag.cumulative).map(({ name }) => name));
  return new Map(
    names.map((name) => {
      if (!Object.hasOwn(properties, name) || counters.has(name)) return [name, undefined];
      if (!nestsWithin(properties[name], MAX_SCHEMA_LEVELS)) {
        complain('schema_unusable', `${name}: its schema is nested too deeply to be judged`);
        return [name, undefined];
      }
      return [name, rules.read(properties[name], (problem) => complain('schema_unusable', `${name}: ${problem}`))];
    }),
  );
}

/** A schema may name what the command has no place for; a value for it could only be lost. */
function canRender(name: string, { flags, positionals }: Parameters, complain: Complain): boolean {
  const known =
    flags.some((flag) => flag.name === name) || positionals.some((arg) => arg.takesValue && arg.name === name);
  if (!known) complain('schema_unusable', `${name}: no flag or argument of that name exists, so it is refused`);
  return known;
}

function requiredOf(schema: JsonObject, names: readonly string[], complain: Complain): string[] {
  const required = schema['required'] ?? [];
  if (!Array.isArray(required)) {
    complain('schema_unusable', 'its list of required arguments is none; the command judges that');
    return [];
  }
  const known = required.filter((name) => names.includes(name));
  if (known.length < required.length) {
    complain('schema_unusable', 'it requires arguments that nobody can give; the command judges that');
  }
  return known;
}

function sayTags({ document }: Leaf, complain: Complain): void {
  const { unknown, conflicts } = readTags(document.tags);
  for (const tag of unknown) {
    const known = RESERVED_TAGS.join(', ');
    complain('unknown_reserved_tag', `the tag ${JSON.stringify(tag)} has no meaning here; those that have: ${known}`);
  }
  for (const [one, other] of conflicts) {
    complain(
      'behavior_tag_conflict',
      `the tags ${one} and ${other} contradict each other; the more dangerous one counts`,
    );
  }
}

function sayShared({ shared }: Parameters, complain: Complain): void {
  for (const arg of shared) {
    const winner = arg.takesValue ? 'the argument, which is required' : 'the flag, since the argument is not required';
    complain(
      'shared_name',
      `a flag and an argument are both named ${JSON.stringify(arg.name)}; a value is for ${winner}`,
    );
  }
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema['properties']) ? schema['properties'] : {};
}
