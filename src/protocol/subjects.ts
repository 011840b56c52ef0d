import { IdentityInvalidError } from '../errors.ts';

const TOKEN = /^[a-zA-Z0-9_-]+$/;

const DISCOVERY_PREFIX = 'choria.fisk-ai.discovery.';
const TOOL_PREFIX = 'choria.fisk-ai.tool.';
const TASK_PREFIX = 'choria.fisk-ai.task.';

/** Whether the text may name an agent: letters, digits, `_` and `-`, at least one. */
export function isIdentity(text: string): boolean {
  return TOKEN.test(text);
}

/** Where an agent answers with its card. Throws IdentityInvalidError before an illegal name becomes part of a subject. */
export function discoverySubject(identity: string): string {
  return DISCOVERY_PREFIX + legal(identity);
}

/** Where an agent takes tool calls. Throws IdentityInvalidError before an illegal name becomes part of a subject. */
export function toolSubject(identity: string): string {
  return TOOL_PREFIX + legal(identity);
}

/** What one subject is for and whose it is, or undefined when it belongs to no agent. */
export function parseSubject(
  subject: string,
): { purpose: 'discovery' | 'tool' | 'task'; identity: string } | undefined {
  for (const [purpose, prefix] of PREFIXES) {
    if (!subject.startsWith(prefix)) continue;
    const identity = subject.slice(prefix.length);
    return isIdentity(identity) ? { purpose, identity } : undefined;
  }
  return undefined;
}

const PREFIXES = [
  ['discovery', DISCOVERY_PREFIX],
  ['tool', TOOL_PREFIX],
  ['task', TASK_PREFIX],
] as const;

function legal(identity: string): string {
  if (!isIdentity(identity)) throw new IdentityInvalidError(identity);
  return identity;
}
