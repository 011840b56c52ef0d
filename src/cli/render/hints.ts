import type { Tool } from '../../tools/index.ts';
import { type Style, unstyled } from './style.ts';

export interface HintOptions {
  readonly identity: string;
  readonly served: readonly Tool[];
  readonly servers: readonly string[];
  /** How this program is started from the same directory, such as `npx fisk`. */
  readonly program: string;
}

/** Commands to try against a daemon that has just started, ready to be copied into another terminal. */
export function renderHints({ identity, served, servers, program }: HintOptions, style: Style = unstyled): string {
  const at = `--server ${servers.join(',')}`;
  const commands = [
    `${program} discover ${identity} ${at}`,
    `${program} call ${identity} ${callText(served)} ${at}`,
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
