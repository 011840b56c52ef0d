/**
 * How the properties of a call come to stand in an argument vector: which flags and positional arguments of a command
 * take a value, and which of the two when they share a name.
 */
import type { ArgDocument, CommandDocument, FlagDocument } from './document.ts';

export interface Positional extends ArgDocument {
  /** False when a flag of the same name takes the value instead. */
  readonly takesValue: boolean;
}

/** The flags and positional arguments in the order they are rendered. */
export interface Parameters {
  readonly flags: readonly FlagDocument[];
  readonly positionals: readonly Positional[];
  /** Positional arguments whose name a flag has too. */
  readonly shared: readonly Positional[];
}

/** One property cannot mean both: it is the positional argument when that one is required, else the flag. */
export function parametersOf(command: CommandDocument, globals: readonly FlagDocument[]): Parameters {
  const own = [...new Map(command.flags.filter(({ hidden }) => !hidden).map((flag) => [flag.name, flag])).values()];
  const flagNames = new Set(own.map(({ name }) => name));
  const positionals = command.args.map(
    (arg): Positional => ({ ...arg, takesValue: !arg.hidden && (arg.required || !flagNames.has(arg.name)) }),
  );
  const shared = positionals.filter((arg) => !arg.hidden && flagNames.has(arg.name));
  const lost = new Set(shared.filter((arg) => arg.takesValue).map(({ name }) => name));
  return { flags: [...globals, ...own.filter(({ name }) => !lost.has(name))], positionals, shared };
}
