import type { Argument, Command, Option } from 'commander';
import type { CommandName } from './examples.ts';
import { Flag } from './flags.ts';
import { version } from './version.ts';

/** Why a command is no tool, or what an agent may think of it. A daemon never ends, so no agent may start it. */
const TAGS: Record<CommandName, readonly string[]> = {
  serve: ['ai:deny'],
  mcp: ['ai:deny'],
  completion: ['ai:deny'],
  discover: ['ai:read_only'],
  info: ['ai:read_only'],
  call: [],
};

/** Flags of every program of this kind, which are not part of the model. */
const FRAMEWORK_FLAGS = new Set(['help', 'version']);

/**
 * This program's own commands in the form that `--fisk-introspect` answers with, so that fisk can wrap itself as it
 * wraps any other application. Read from the command line's own declaration, so that the two cannot part.
 */
export function commandModel(program: Command): object {
  return {
    name: program.name(),
    help: program.description(),
    version,
    commands: program.commands.map(command),
  };
}

function command(source: Command): object {
  const args = source.registeredArguments;
  const flags = source.options.filter((flag) => !FRAMEWORK_FLAGS.has(flag.name()));
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([
      ...args.map((argument) => [argument.name(), argumentSchema(argument)]),
      ...flags.map((flag) => [flag.name(), flagSchema(flag)]),
    ]),
    ...required(args),
  };
  return {
    name: source.name(),
    help: source.summary(),
    help_long: source.description(),
    ...nonEmpty('tags', TAGS[source.name() as CommandName] ?? []),
    schema,
    restricted_schema: schema,
    ...nonEmpty('flags', flags.map(flagModel)),
    ...nonEmpty('args', args.map(argumentModel)),
  };
}

function flagModel(flag: Option): object {
  return {
    name: flag.name(),
    help: flag.description,
    ...(flag.defaultValue === undefined || flag.isBoolean() ? {} : { default: [String(flag.defaultValue)] }),
    ...(flag.mandatory ? { required: true } : {}),
    boolean: flag.isBoolean(),
    cumulative: flag.variadic,
    ...nonEmpty('completions', flag.argChoices ?? []),
  };
}

function argumentModel(argument: Argument): object {
  return {
    name: argument.name(),
    help: argument.description,
    ...(argument.required ? { required: true } : {}),
    cumulative: argument.variadic,
  };
}

function flagSchema(flag: Option): object {
  const kind = flag instanceof Flag ? flag.kind : undefined;
  const type = flag.isBoolean() ? 'boolean' : kind === 'integer' ? 'integer' : 'string';
  return { type, description: flag.description, ...nonEmpty('enum', flag.argChoices ?? []) };
}

function argumentSchema(argument: Argument): object {
  const { description, argChoices, variadic } = argument;
  if (variadic) return { type: 'array', items: { type: 'string' }, description };
  return { type: 'string', description, ...nonEmpty('enum', argChoices ?? []) };
}

function required(args: readonly Argument[]): object {
  return nonEmpty(
    'required',
    args.filter((argument) => argument.required).map((argument) => argument.name()),
  );
}

function nonEmpty(key: string, list: readonly unknown[]): object {
  return list.length === 0 ? {} : { [key]: list };
}
