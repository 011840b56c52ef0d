/** What docs/applications.md tells the author of an application, held against the real thing. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RESERVED_TAGS } from '../../src/tools/behavior.ts';
import { cardBehavior } from '../../src/tools/index.ts';
import { projectDir } from '../support/source.ts';
import { argvOf, load, toolOf } from './loading.ts';

const page = readFileSync(join(projectDir, 'docs/applications.md'), 'utf8');
const block = (language: string) => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';
const documented = JSON.parse(block('json'));
for (const command of documented.commands) command.schema = command.restricted_schema;

/** The keys and types of the table that follows a line of the page. */
function keysAfter(line: string): [key: string, type: string][] {
  const table = page.slice(page.indexOf(`\n${line}\n`)).split('\n\n')[1] ?? '';
  return [...table.matchAll(/^\| (`.*?) \| (text|boolean|list|list of text|object) \|/gm)].flatMap(([, keys, type]) =>
    [...(keys ?? '').matchAll(/`(\w+)`/g)].map(([, key]): [string, string] => [key ?? '', type ?? '']),
  );
}

test('the shown document is one that is served, and calls become the shown command lines', async () => {
  const application = await load(documented);
  assert.deepEqual(application.notices, []);
  const add = toolOf(application, 'add');
  const shown = [...block('text').matchAll(/^(\{.*\}) {2,}(.*)$/gm)];
  assert.ok(shown.length >= 6);
  for (const [, input = '', line] of shown) assert.equal(argvOf(add, input).join(' '), line);
});

test('every key in the tables is read, with the type that is said', async () => {
  const wrong = { text: 7, boolean: 'yes', list: {}, 'list of text': [7], object: [] };
  let seen = 0;
  for (const [line, at] of [
    ['The application:', (bad: object) => bad],
    ['A command:', (bad: object) => ({ commands: [{ name: 'x', ...bad }] })],
    ['A positional argument, and a flag:', (bad: object) => ({ flags: [{ name: 'x', ...bad }] })],
  ] as const) {
    for (const [key, type] of keysAfter(line)) {
      seen++;
      const document = { name: 'app', ...at({ [key]: wrong[type as keyof typeof wrong] }) };
      await assert.rejects(load(document), {
        code: 'FISK_APPLICATION_DOCUMENT',
        message: new RegExp(`${key}\\b.* must be`),
      });
    }
  }
  assert.equal(seen, 23);
});

test('the tags with a meaning are those of the table, and the card says what is said there', async () => {
  const rows = [...page.matchAll(/^\| `(ai:\w+)` \| (.*) \|$/gm)];
  assert.deepEqual(rows.map(([, tag]) => tag).sort(), [...RESERVED_TAGS].sort());
  for (const [, tag = '', effect = ''] of rows.filter(([, , text]) => text?.startsWith('the card says'))) {
    const said = [...(effect.split(':')[0] ?? '').matchAll(/(not )?`(\w+)`/g)].map(([, not, key]) => [key, !not]);
    const [command] = documented.commands;
    const tool = toolOf(await load({ ...documented, commands: [{ ...command, tags: [tag] }] }), 'add');
    assert.deepEqual(cardBehavior(tool.behavior()), Object.fromEntries(said), tag);
  }
});
