import { basename, relative } from 'node:path';
import type { Tool } from '../../tools/index.ts';
import { type Style, unstyled } from './style.ts';

export interface HintOptions {
  readonly identity: string;
  readonly served: readonly Tool[];
  readonly servers: readonly string[];
}

/** Commands to try against a daemon that has just started, ready to be copied into another terminal. */
export function renderHints({ identity, served, servers }: HintOptions, style: Style = unstyled): string {
  const at = `--server ${servers.join(',')}`;
  const fisk = programText();
  const commands = [
    `${fisk} discover ${identity} ${at}`,
    `${fisk} call ${identity} ${callText(served)} ${at}`,
    `nats micro info ${identity} ${at}`,
  ];
  return `\n  ${style.bold('To try it, in another terminal')}:\n\n${commands.map((command) => `    ${command}\n`).join('')}\n`;
}

/** A call that works as it stands, when there is a tool that asks for nothing. */
function callText(served: readonly Tool[]): string {
  const simple = served.find((tool) => requiredOf(tool).length === 0);
  if (simple !== undefined) return simple.name;
  const [first] = served;
  return first === undefined ? 'TOOL' : [first.name, ...requiredOf(first).map((name) => `${name}=...`)].join(' ');
}

function requiredOf({ inputSchema }: Tool): string[] {
  const required = inputSchema['required'];
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** How this program is started from a shell in the same directory. */
function programText(): string {
  const script = process.argv[1] ?? '';
  if (basename(script) === 'fisk') return 'fisk';
  return `${shortPath(process.execPath)} ${shortPath(script)}`;
}

function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}
