import { isAbsolute } from 'node:path';
import { baseUrlFault } from './base-url.ts';
import { complain, type Subject } from './check.ts';
import type { Lookup } from './lookup.ts';
import { PROBLEM_RANK } from './problems.ts';
import { withReferences } from './references.ts';
import { shown } from './wording.ts';

const TRANSPORT_KEYS = {
  command: ['args', 'cwd', 'env'],
  url: ['headers'],
} as const;

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PROTOCOL_HEADER = /^(host|accept|content-.*|mcp-.*)$/i;

/** Checks the entries of mcp_servers, each and against each other. */
export function checkMcpServers(subject: Subject): void {
  const servers = subject.lookup.entries('mcp_servers');
  const names = new Set<string>();
  const aliases = new Map<string, string>();
  for (const host of subject.lookup.entries('remote_tools')) {
    const alias = host.text('alias') ?? host.text('name');
    if (alias !== undefined) {
      aliases.set(alias, `remote_tools ${host.text('name') ?? ''}`.trim());
    }
  }
  for (const [index, server] of servers.entries()) {
    const refuse = (key: string, rule: string, remedy: string) =>
      complain(subject, { rank: PROBLEM_RANK.rest, key: `mcp_servers[${index}]${key}`, rule, remedy });
    const name = server.text('name');
    if (name !== undefined && names.has(name)) {
      refuse('.name', `is used twice: ${shown(name)}`, 'Give every server a name of its own.');
    }
    names.add(name ?? '');
    const alias = server.text('alias');
    const holder = alias === undefined ? undefined : aliases.get(alias);
    if (holder !== undefined) {
      refuse('.alias', `${shown(alias)} is taken by ${holder}`, 'Choose another alias: one prefix means one party.');
    }
    if (alias !== undefined) {
      aliases.set(alias, `mcp_servers ${name ?? ''}`.trim());
    }
    checkServer(server, refuse);
  }
}

type Refuse = (key: string, rule: string, remedy: string) => void;

function checkServer(server: Lookup, refuse: Refuse): void {
  const transport = server.has('command') ? 'command' : 'url';
  if (server.has('command') === server.has('url')) {
    refuse(
      '',
      'must have exactly one of command and url',
      'Keep command for a program to start, url for a server that runs.',
    );
  } else {
    const other = transport === 'command' ? 'url' : 'command';
    for (const key of TRANSPORT_KEYS[other].filter((name) => server.has(name))) {
      refuse(`.${key}`, `only goes with ${other}, and this server has ${transport}`, 'Remove it.');
    }
  }
  const cwd = server.text('cwd');
  if (cwd !== undefined && !isAbsolute(cwd)) {
    refuse('.cwd', `must be an absolute path; it is ${shown(cwd)}`, 'Write the whole path.');
  }
  const url = server.text('url');
  // What a reference stands for is known at start only, and is a secret; the rest is judged now.
  const fault = url === undefined ? undefined : baseUrlFault(withReferences(url, '0'));
  if (fault !== undefined) {
    refuse('.url', fault, 'Correct the address.');
  }
  for (const name of server.keys('headers')) {
    if (!HEADER_NAME.test(name)) {
      refuse('.headers', `holds a name that is no header name: ${shown(name)}`, 'Correct the name.');
    } else if (PROTOCOL_HEADER.test(name)) {
      refuse('.headers', `must not hold ${name}, which belongs to the protocol`, 'Remove it.');
    }
  }
  for (const filter of ['include', 'exclude']) {
    if (server.texts(`${filter}.tags`).length > 0) {
      refuse(`.${filter}.tags`, 'cannot work: tools of MCP servers carry no tags', 'Filter by name, with tools.');
    }
  }
}
