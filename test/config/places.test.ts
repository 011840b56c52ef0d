import assert from 'node:assert/strict';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  checkBaseUrl,
  checkWorkDir,
  credentialNames,
  isLoopback,
  loadConfig,
  resolveApplicationPath,
} from '../../src/config/index.ts';
import {
  AddressInvalidError,
  ApplicationNotFoundError,
  ConfigUnreadableError,
  WorkDirError,
} from '../../src/errors.ts';
import { tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { config } from './support.ts';

test('a file that cannot be read is refused with its path and the reason of the system', () => {
  const dir = tempDir();
  const load = (path: string) => () => loadConfig({ path, mode: 'lenient', env: {} });
  const refusal = (text: RegExp) => (error: unknown) =>
    error instanceof ConfigUnreadableError && text.test(error.message);
  assert.throws(load(join(dir, 'none.yaml')), refusal(/none.yaml.*ENOENT/));
  assert.throws(load(dir), refusal(/EISDIR/));
  assert.throws(
    load(tempFile('latin.yaml', Buffer.from([0x61, 0x3a, 0x20, 0xe9]))),
    refusal(/latin.yaml is not UTF-8/),
  );
  assert.equal(load(tempFile('ok.yaml', '\ufeffidentity: ok'))().config.identity, 'ok');
});

test('an application without a slash is looked up on PATH first and then in the working directory', () => {
  const cwd = tempDir();
  const bin = tempDir();
  const here = tempScript('#!/bin/sh\n', 'tool', cwd);
  assert.equal(resolveApplicationPath('tool', { PATH: `:${bin}` }, cwd), here);
  const there = tempScript('#!/bin/sh\n', 'tool', bin);
  assert.equal(resolveApplicationPath('tool', { PATH: `/nowhere:${bin}` }, cwd), there);
  assert.equal(resolveApplicationPath('tool', {}, cwd), here);
  assert.equal(resolveApplicationPath('./tool', { PATH: bin }, cwd), here);
  assert.equal(resolveApplicationPath(there, {}, '/'), there);
});

test('a directory or a file without permission on PATH does not hide a program further on', () => {
  const [first, second] = [tempDir(), tempDir()];
  mkdirSync(join(first, 'tool'));
  const found = tempScript('#!/bin/sh\n', 'tool', second);
  assert.equal(resolveApplicationPath('tool', { PATH: `${first}:${second}` }, '/'), found);
});

test('an application that is not there or cannot run is refused with its name and the reason', () => {
  const cwd = tempDir();
  const plain = tempFile('plain', 'text', cwd);
  chmodSync(plain, 0o644);
  mkdirSync(join(cwd, 'dir'));
  for (const [path, text] of [
    ['none', /"none" is neither on PATH nor in /],
    ['./none', /none does not exist/],
    ['plain', /plain is not executable/],
    ['./dir', /dir is not a file/],
    ['plain/x', /does not exist/],
    ['a\0b', /NUL/],
  ] as const) {
    assert.throws(
      () => resolveApplicationPath(path, { PATH: '/nowhere' }, cwd),
      (error) => error instanceof ApplicationNotFoundError && text.test(error.message),
      path,
    );
  }
});

test('a work directory must be absolute, there, and a directory, and the refusal says which it is not', () => {
  const dir = tempDir();
  const file = tempFile('f', '', dir);
  assert.equal(checkWorkDir(dir), dir);
  for (const [path, text] of [
    ['rel', /"rel" is relative/],
    [join(dir, 'none'), /does not exist/],
    [file, /is not a directory/],
    [join(file, 'below'), /does not exist|not a directory/],
  ] as const) {
    assert.throws(
      () => checkWorkDir(path),
      (error) => error instanceof WorkDirError && text.test(error.message),
      path,
    );
  }
});

test('a base address must be https, or http to this machine, without user information, and names its flag', () => {
  for (const url of ['https://api.example/v1', 'http://localhost:1/', 'http://127.8.9.1', 'http://[::1]:80/x']) {
    assert.equal(checkBaseUrl(url, '--base-url').href, new URL(url).href);
  }
  for (const [url, text] of [
    ['http://api.example', /must use https/],
    ['http://127.0.0.1.example', /must use https/],
    ['http://localhost.example', /must use https/],
    ['https://me:secret@api.example', /must not hold a user name/],
    ['ftp://api.example', /must begin with https/],
    ['api.example', /not an address/],
    ['', /not an address/],
  ] as const) {
    assert.throws(
      () => checkBaseUrl(url, '--base-url (ANTHROPIC_BASE_URL)'),
      (error) =>
        error instanceof AddressInvalidError &&
        text.test(error.message) &&
        error.message.startsWith('--base-url (ANTHROPIC_BASE_URL) ') &&
        !error.message.includes('secret'),
      url,
    );
  }
  assert.deepEqual(['localhost', '::1', '[::1]', '127.1.2.3', '0.0.0.0', 'example'].map(isLoopback), [
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('the credentials of every provider and of every collector signal are removed, whatever the file says', () => {
  const names = credentialNames();
  assert.equal(names.length, 21);
  assert.deepEqual(credentialNames(config('')), names);
  for (const name of [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_CUSTOM_HEADERS',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY',
    'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
    'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE',
  ]) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(!names.some((name) => /PROFILE|CONFIG|ENDPOINT/.test(name)));
});

test('what the file names as a credential joins them: embeddings while on, the MCP token, references of servers', () => {
  const known = new Set(credentialNames());
  const added = (text: string) => credentialNames(config(text)).filter((name) => !known.has(name));
  const embeddings = 'embeddings: {api_key_env: " EMB_KEY "}';
  assert.deepEqual(added(`harness: {knowledge: {enabled: true, ${embeddings}}}`), ['EMB_KEY']);
  assert.deepEqual(added(`harness: {knowledge: {enabled: false, ${embeddings}}}`), []);
  assert.deepEqual(added('expose: {agent: {mcp: {token_env: TOKEN}}}'), ['TOKEN']);
  assert.deepEqual(
    added(`mcp_servers:
  - {name: a, command: "\${NOT_HERE}", args: ["\${NOR_HERE}"], env: {X: "\${ONE}\${TWO}", Y: "$\${LITERAL}"}}
  - {name: b, url: "https://x/\${THREE}", headers: {A: "Bearer \${ONE}"}}
`),
    ['ONE', 'TWO', 'THREE'],
  );
});

test('no more of a file is read than a configuration can be, whatever kind of file it is', () => {
  const load = (path: string) => () => loadConfig({ path, mode: 'lenient', env: {} });
  const large = tempFile('large.yaml', `identity: ok\n${'#'.repeat(1024 * 1024)}`);
  for (const path of ['/dev/zero', large]) assert.throws(load(path), /it holds more than 1 MiB/);
});

test('aliases that repeat too much are refused at once, and those that do not are followed', () => {
  const before = process.cpuUsage();
  const names = Array.from({ length: 200 }, (_, i) => `t${i}`);
  const grown = [
    'harness:',
    `  confirm_tags: &t [${names.join(', ')}]`,
    'remote_tools:',
    ...names.map((name, i) => `  - ${i === 0 ? '&r ' : ''}{name: ${name}, include: {tools: *t}, exclude: {tools: *t}}`),
  ].join('\n');
  assert.throws(() => config(grown), /repeats more than 10000 values by its aliases/);
  const repeated = `remote_tools: [&r {name: a}${', *r'.repeat(20_000)}]`;
  assert.throws(() => config(repeated), /repeats more than 10000 values by its aliases/);
  const unique = `include: {tools: [${Array.from({ length: 60_000 }, (_, i) => `t${i}`).join(', ')}]}`;
  assert.equal(config(unique).include.tools.length, 60_000);
  assert.throws(() => config('include: &a {tools: [*a]}'));
  const { user } = process.cpuUsage(before);
  assert.ok(user < 8_000_000, `${user} µs`);
  assert.deepEqual(config('include: {tools: &t [a, b]}\nexclude: {tools: *t}').exclude.tools.length, 2);
});
