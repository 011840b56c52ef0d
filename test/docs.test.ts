import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { errorReference } from '../scripts/error-reference.ts';
import { credentialNames } from '../src/config/index.ts';
import * as errors from '../src/errors.ts';
import { childEnvironment } from '../src/process/index.ts';
import { projectDir } from './support/source.ts';

const read = (path: string) => readFileSync(join(projectDir, path), 'utf8');
const pages = [
  'README.md',
  ...readdirSync(join(projectDir, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test('the error reference lists exactly the errors of the table, with their exit codes', () => {
  const page = read('docs/errors.md');
  const listed = [...page.matchAll(/^\| `(FISK_[A-Z_0-9]+)` \| (\d+) \|/gm)].map(([, code, exit]) => `${code} ${exit}`);
  const defined = errors.errorList.map(({ code, exitCode }) => `${code} ${exitCode}`);
  assert.deepEqual(listed.sort(), defined.sort());
  assert.equal(page, errorReference(), 'run "npm run docs"');
});

test('every error class is in the table once, with a code of its own and a remedy', () => {
  const codes = errors.errorList.map(({ code }) => code);
  assert.equal(new Set(codes).size, codes.length);
  for (const { code, meaning, remedy } of errors.errorList) {
    assert.match(code, /^FISK_[A-Z]+(_[A-Z0-9]+)*$/);
    assert.ok(meaning.endsWith('.') && remedy.length > 0, `${code}: says what it means and what to do`);
  }
  const classes = Object.values(errors).filter(
    (value) => typeof value === 'function' && value.prototype instanceof errors.FiskError,
  );
  assert.equal(classes.length, codes.length, 'every entry is exported as a class');
});

test('every link in the documents leads to something that is there', () => {
  for (const page of pages) {
    for (const [, link = ''] of read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(link)) continue;
      assert.ok(existsSync(join(projectDir, dirname(page), link)), `${page}: ${link}`);
    }
  }
});

test('every environment variable that the program reads is described', () => {
  const described = pages.map(read).join('\n');
  const variables = new Set<string>();
  for (const file of globSync('src/**/*.ts', { cwd: projectDir })) {
    for (const [, name = ''] of read(file).matchAll(/\benv\w*\['([A-Z][A-Z0-9_]*)'\]/g)) variables.add(name);
  }
  assert.ok(variables.size > 5);
  assert.deepEqual(
    [...variables].filter((name) => !described.includes(`\`${name}\``) && !described.includes(`\`${name}=`)),
    [],
  );
});

test('every command shown in the documents is one that exists', () => {
  const scripts = new Set(Object.keys(JSON.parse(read('package.json')).scripts));
  const commands = new Set(readdirSync(join(projectDir, 'src/cli/commands')).map((name) => name.replace(/\.ts$/, '')));
  let seen = 0;
  for (const page of pages) {
    for (const [, block = ''] of read(page).matchAll(/^```(?:console|sh|shell|bash)\n([\s\S]*?)^```/gm)) {
      for (const [, script = ''] of block.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)) {
        seen++;
        assert.ok(scripts.has(script), `${page}: npm run ${script}`);
      }
      for (const [, command = ''] of block.matchAll(/(?:^|\$ |npx )fisk ([a-z][\w-]*)/gm)) {
        seen++;
        assert.ok(commands.has(command), `${page}: fisk ${command}`);
      }
    }
  }
  assert.ok(seen > 3, 'commands were found');
});

test('the page of the configuration names every variable that is kept from commands, and says that those of NATS are not', () => {
  const [, section = ''] = read('docs/configuration.md').split('### What commands do not get to see');
  const [told = ''] = section.split('\n### ');
  const spelled = credentialNames().map((name) =>
    name.replace(/^OTEL_EXPORTER_OTLP_(?:(?:TRACES|METRICS|LOGS)_)?/, ''),
  );
  for (const name of spelled) assert.ok(told.includes(`\`${name}\``), name);
  assert.match(told, /commands can read\. That includes `NATS_URL` and everything else that begins with `NATS_`/);
  const base = { NATS_URL: 'nats://u:p@host', ANTHROPIC_API_KEY: 'secret' };
  const { variables } = childEnvironment({ base, remove: credentialNames() });
  assert.deepEqual([variables.has('NATS_URL'), variables.has('ANTHROPIC_API_KEY')], [true, false]);
});
