import type { SchemaNode } from './schema.ts';
import type { Refusal } from './schema-check.ts';
import { unknownKeyRemedy } from './suggestion.ts';

/** What a refusal of the schema says to a person. */
export interface Words {
  readonly rule: string;
  readonly remedy: string;
}

/** Where a key can only hold certain values for a reason worth telling. */
const REASONS: ReadonlyMap<string, Words> = new Map([
  [
    'expose.agent.mcp.builtins',
    {
      rule: 'names a tool that is not served over MCP',
      remedy:
        'Only knowledge_search and knowledge_enumerate can be listed: the other built-in tools keep state of one run or ask a person.',
    },
  ],
]);

const APPROVAL_KEYS = new Set(['confirm_tags', 'expose', 'confirm_over_mcp']);

export function wordsFor(refusal: Refusal, key: string): Words {
  const { kind, node, value } = refusal;
  const [list = ''] = key.split('[');
  const reason = REASONS.get(list);
  if (kind === 'value' && reason !== undefined) {
    return { rule: `${reason.rule}: ${shown(value)}`, remedy: reason.remedy };
  }
  if (kind === 'unknown') {
    const name = String(refusal.path.at(-1));
    return list === 'mcp_servers' && APPROVAL_KEYS.has(name)
      ? {
          rule: 'does not belong here: the tools of another server are approved by that server, not by this agent',
          remedy: 'Remove it; leave tools out with exclude instead.',
        }
      : { rule: 'is not a known key', remedy: unknownKeyRemedy(name, node) };
  }
  if (kind === 'missing') {
    return { rule: 'is missing', remedy: `Every entry of ${list} needs it.` };
  }
  if (kind === 'type') {
    return { rule: `${expected(node)}, not ${kindOf(value)}`, remedy: typeRemedy(node, key) };
  }
  return valueWords(refusal, key);
}

function valueWords({ node, value, keyword, detail }: Refusal, key: string): Words {
  if (node['x-duration'] !== undefined) {
    return { rule: `${detail}; it is ${shown(value)}`, remedy: 'Write a duration with a unit, such as 30s or 1m30s.' };
  }
  if (node['x-pattern'] === true) {
    return {
      rule: `holds a pattern that is not valid RE2 syntax: ${shown(value)} (${detail})`,
      remedy: 'Correct the pattern. RE2 has no look-around and no back-references.',
    };
  }
  if (node.enum !== undefined) {
    return { rule: `must be one of ${node.enum.join(', ')}; it is ${shown(value)}`, remedy: 'Use one of these words.' };
  }
  if (key === 'identity') {
    return identityWords(String(value));
  }
  if (keyword === 'pattern') {
    const allowed = key === 'llm.reasoning_effort' ? 'a-z, _ and -' : 'a-z, A-Z, 0-9, _ and -';
    return { rule: `may hold only ${allowed}; it is ${shown(value)}`, remedy: 'Remove the other characters.' };
  }
  if (keyword === 'maxLength') {
    return { rule: `may have at most ${node.maxLength} characters`, remedy: 'Shorten it.' };
  }
  if (keyword === 'minLength') {
    return { rule: 'must not be empty', remedy: 'Write a name.' };
  }
  return { rule: `must be ${range(node)}; it is ${shown(value)}`, remedy: rangeRemedy(node) };
}

/** Also used for an identity that was derived and not written. */
export function identityWords(identity: string, derivedFrom?: string): Words {
  const origin = derivedFrom === undefined ? '' : `, derived from ${derivedFrom},`;
  return {
    rule: `${shown(identity)}${origin} may hold only a-z, A-Z, 0-9, _ and -, because it is part of NATS subjects and the name of a queue group`,
    remedy:
      derivedFrom === undefined
        ? 'Choose a name of these characters.'
        : 'Write an identity of these characters in the file.',
  };
}

function range({ minimum, maximum, exclusiveMinimum, type }: SchemaNode): string {
  const number = type === 'integer' ? 'a whole number' : 'a number';
  if (exclusiveMinimum !== undefined) {
    return `${number} above ${exclusiveMinimum}`;
  }
  return maximum === undefined ? `${number} not below ${minimum}` : `${number} from ${minimum} to ${maximum}`;
}

function rangeRemedy(node: SchemaNode): string {
  return node.default === undefined
    ? 'Correct the number, or remove the key.'
    : `Correct the number, or remove the key to get the default (${node['x-default'] ?? node.default}).`;
}

function expected(node: SchemaNode): string {
  switch (node.type) {
    case 'object':
      return 'must be a mapping with keys of its own';
    case 'array':
      return 'must be a list';
    case 'boolean':
      return 'must be true or false';
    case 'integer':
      return 'must be a whole number';
    case 'number':
      return 'must be a number';
    default:
      return 'must be text';
  }
}

function typeRemedy(node: SchemaNode, key: string): string {
  const name = key.split('.').at(-1);
  switch (node.type) {
    case 'object':
      return `Write the keys of ${name} below it, indented, or remove ${name}.`;
    case 'array':
      return `Write a list, such as ${name}: ["…"].`;
    case 'boolean':
      return 'Write true or false, without quotes.';
    case 'integer':
      return 'Write digits only.';
    case 'number':
      return 'Write a number.';
    default:
      return 'Write text; put it in quotes if it looks like something else.';
  }
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) {
    return 'empty';
  }
  if (Array.isArray(value)) {
    return 'a list';
  }
  if (typeof value === 'object') {
    return 'a mapping';
  }
  return typeof value === 'string' ? `the text ${shown(value)}` : shown(value);
}

/** A value in a message: quoted, and never longer than a line. */
export function shown(value: unknown): string {
  const text =
    typeof value === 'number' || typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
