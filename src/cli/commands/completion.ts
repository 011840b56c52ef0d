import { completionScript, type Shell } from '../completion-scripts.ts';
import type { CommandContext } from '../program.ts';

/** Prints the script that a shell sources. */
export async function run({ args, terminal }: CommandContext): Promise<number> {
  terminal.out.write(completionScript(args[0] as Shell));
  return 0;
}
