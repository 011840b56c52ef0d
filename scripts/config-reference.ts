/** Writes the tables of keys into docs/configuration.md, from the schema. A test says when this has to be run again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyText, type SchemaKey, type SchemaNode, schemaKeys } from '../src/config/schema.ts';
import { projectDir } from './lib/programs.ts';

const PAGE = join(projectDir, 'docs', 'configuration.md');
const BEGIN = '<!-- keys: written by npm run docs -->';
const END = '<!-- keys: end -->';

/** The page with its tables made anew; everything outside the marks stays. */
export function withKeyTables(page: string): string {
  const before = page.slice(0, page.indexOf(BEGIN) + BEGIN.length);
  return `${before}\n\n${tables()}\n${page.slice(page.indexOf(END))}`;
}

function tables(): string {
  const sections = new Map<string, SchemaKey[]>();
  for (const key of schemaKeys()) {
    const name = sectionOf(key);
    sections.set(name, [...(sections.get(name) ?? []), key]);
  }
  return [...sections].map(([name, keys]) => section(name, keys)).join('\n');
}

const SECTIONS = new Set([
  ...['remote_agents', 'remote_tools', 'mcp_servers', 'llm', 'harness', 'expose', 'telemetry'],
  ...['human_in_the_loop', 'memory', 'knowledge', 'pii', 'sessions'].map((name) => `harness.${name}`),
  ...['tools', 'mcp', 'a2a', 'jobs'].map((name) => `expose.agent.${name}`),
]);

/** The innermost block that has a section of its own. */
function sectionOf({ path }: SchemaKey): string {
  for (let length = path.length; length > 0; length--) {
    const block = path.slice(0, length).join('.');
    if (SECTIONS.has(block)) {
      return `\`${block}\``;
    }
  }
  return 'Top level';
}

function section(name: string, keys: readonly SchemaKey[]): string {
  const rows = keys.map(({ path, node, commands, ours, later }) => {
    const marks = `${ours ? '**ours** ' : ''}${later ? '*later* ' : ''}`;
    const cells = [
      `\`${keyText(path)}\``,
      typeOf(node),
      defaultOf(node),
      allowed(node),
      commands.replaceAll(' ', ', '),
      marks + (node.description ?? ''),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return [
    `### ${name}`,
    '',
    '| key | type | default | allowed | read by | meaning |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** How the reference calls the type of a key. */
function typeOf(node: SchemaNode): string {
  if (node['x-duration'] !== undefined) {
    return 'duration';
  }
  switch (node.type) {
    case 'object':
      return typeof node.additionalProperties === 'object' ? 'map of text' : 'block';
    case 'array':
      return node.items?.type === 'object' ? 'list of blocks' : 'list of text';
    case 'string':
      return 'text';
    case 'integer':
      return 'whole number';
    case 'boolean':
      return 'true or false';
    default:
      return 'number';
  }
}

function defaultOf(node: SchemaNode): string {
  if (node['x-default'] !== undefined) {
    return node['x-default'];
  }
  return node.default === undefined || node.default === '' ? 'none' : `\`${node.default}\``;
}

function allowed(node: SchemaNode & { readonly pattern?: string }): string {
  const { minimum, maximum, exclusiveMinimum, maxLength, pattern } = node;
  const { above, atLeast, atMost } = node['x-duration'] ?? {};
  const words = node.enum ?? node.items?.enum;
  const said = [
    minimum === undefined ? '' : maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`,
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`,
    above === undefined ? '' : `above ${above}`,
    atLeast === undefined ? '' : `${atLeast} or more`,
    atMost === undefined ? '' : `at most ${atMost}`,
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    pattern === undefined ? '' : pattern.includes('A-Z') ? 'letters, digits, `_`, `-`' : 'a-z, `_`, `-`',
    words === undefined ? '' : words.map((word) => `\`${word}\``).join(', '),
  ];
  return said.filter((text) => text !== '').join('; ') || 'any';
}

if (import.meta.main) {
  writeFileSync(PAGE, withKeyTables(readFileSync(PAGE, 'utf8')));
}
