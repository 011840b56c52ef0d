import { readdirSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { Flag, type ValueKind } from './flags.ts';

/** Looks up what is out there for a completion. Must never reject and must be quick: a person waits with a finger on a key. */
export interface Lookup {
  /** Identities that answer. */
  agents(flags: TypedFlags): Promise<string[]>;
  /** Names of the tools of an agent. */
  tools(agent: string, flags: TypedFlags): Promise<string[]>;
  /** The arguments of a tool by name, with the values that each may have where those can be listed. */
  properties(agent: string, tool: string, flags: TypedFlags): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Names of the NATS contexts of this user. */
  contexts(): Promise<string[]>;
}

/** The values of the flags that came before the word at the cursor. */
export type TypedFlags = ReadonlyMap<string, string>;

/**
 * Words that stand for themselves in every shell: what is offered ends up on a command line, and most of it was named by
 * somebody else. Anything a shell would act on is not offered at all.
 */
const SAFE_WORD = /^[\p{L}\p{N}_@%+=:,./-]+$/u;

/**
 * What may stand at the end of `words`, whose last one is the word at the cursor (possibly empty).
 * @param words without the program's name.
 */
export async function complete(program: Command, words: readonly string[], lookup: Lookup): Promise<string[]> {
  const current = words.at(-1) ?? '';
  const state = read(program, words.slice(0, -1));
  const candidates = await candidatesFor(program, state, current, lookup);
  return [...new Set(candidates)].filter((candidate) => candidate.startsWith(current) && SAFE_WORD.test(candidate));
}

interface State {
  readonly command: Command;
  readonly operands: string[];
  readonly flags: Map<string, string>;
  /** The flag whose value is next, when the word before the cursor asks for one. */
  pending: Option | undefined;
  /** True after `--`. */
  operandsOnly: boolean;
}

function read(program: Command, words: readonly string[]): State {
  let state: State = { command: program, operands: [], flags: new Map(), pending: undefined, operandsOnly: false };
  for (const word of words) {
    if (state.pending !== undefined) {
      state.flags.set(state.pending.name(), word);
      state.pending = undefined;
    } else if (state.operandsOnly || !word.startsWith('-') || word === '-') {
      const command = state.command === program ? program.commands.find((c) => c.name() === word) : undefined;
      if (command !== undefined) state = { ...state, command };
      else state.operands.push(word);
    } else if (word === '--') {
      state.operandsOnly = true;
    } else {
      const [name = '', ...value] = word.split('=');
      const flag = state.command.options.find((option) => option.long === name || option.short === name);
      if (value.length > 0) state.flags.set(name.replace(/^--/, ''), value.join('='));
      else if (flag !== undefined && !flag.isBoolean()) state.pending = flag;
    }
  }
  return state;
}

async function candidatesFor(program: Command, state: State, current: string, lookup: Lookup): Promise<string[]> {
  const { command, operands, flags, pending, operandsOnly } = state;
  if (pending !== undefined) return flagValues(pending, current, lookup);
  if (current.startsWith('-') && !operandsOnly) {
    const [name = '', ...value] = current.split('=');
    if (value.length === 0) return flagNames(command, program);
    const flag = command.options.find((option) => option.long === name && !option.isBoolean());
    const values = flag === undefined ? [] : await flagValues(flag, value.join('='), lookup);
    return values.map((candidate) => `${name}=${candidate}`);
  }
  if (command === program) return [...program.commands.map((candidate) => candidate.name()), 'help'];

  const [agent, tool] = operands;
  const position = operands.length;
  const argument = command.registeredArguments[Math.min(position, command.registeredArguments.length - 1)];
  if (argument === undefined || (position >= command.registeredArguments.length && !argument.variadic)) return [];
  if (argument.argChoices !== undefined) return [...argument.argChoices];
  if (argument.name() === 'agent') return operandsOf(await lookup.agents(flags));
  if (argument.name() === 'tool' && agent !== undefined) return operandsOf(await lookup.tools(agent, flags));
  if (argument.name() === 'arguments' && agent !== undefined && tool !== undefined) {
    const properties = await lookup.properties(agent, tool, flags);
    const name = current.split('=', 1)[0] ?? '';
    if (!current.includes('=')) return operandsOf([...properties.keys()]).map((known) => `${known}=`);
    return (properties.get(name) ?? []).map((value) => `${name}=${value}`);
  }
  return [];
}

/** Without what would be taken for a flag of ours. */
function operandsOf(names: readonly string[]): string[] {
  return names.filter((name) => name !== '' && !name.startsWith('-'));
}

function flagNames(command: Command, program: Command): string[] {
  const flags = [...command.options, ...(command === program ? [] : program.options)].filter((flag) => !flag.hidden);
  return [...flags.map((flag) => flag.long ?? ''), '--help'];
}

async function flagValues(flag: Option, current: string, lookup: Lookup): Promise<string[]> {
  if (flag.argChoices !== undefined) return [...flag.argChoices];
  const kind: ValueKind | undefined = flag instanceof Flag ? flag.kind : undefined;
  if (kind === 'context') return lookup.contexts();
  return kind === 'file' || kind === 'directory' ? paths(current, kind === 'directory') : [];
}

/** The entries of the directory that `current` is in; directories end in a slash. */
function paths(current: string, directoriesOnly: boolean): string[] {
  const directory = current.slice(0, current.lastIndexOf('/') + 1);
  try {
    return readdirSync(directory || '.', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || !directoriesOnly)
      .map((entry) => `${directory}${entry.name}${entry.isDirectory() ? '/' : ''}`)
      .sort();
  } catch {
    // A directory that cannot be read has nothing to offer.
    return [];
  }
}
