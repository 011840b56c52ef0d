import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { childEnvironment } from '../../src/process/index.ts';
import { type CommandTool, inputFromText } from '../../src/tools/index.ts';
import { depot } from '../support/fisk.ts';
import { load, toolOf } from './loading.ts';

let tool: CommandTool;

before(async () => {
  const environment = childEnvironment({ base: process.env, remove: [] });
  tool = toolOf(await load('', { path: depot, environment }), 'part_add');
});

const times = (count: number, text: string) => Array(count).fill(text).join();

const huge: Record<string, [string, RegExp]> = {
  'a number of 700 000 digits': [`{"name":"x","count":1${'0'.repeat(700_000)}1}`, /131071/],
  'the same as text': [`{"name":"x","count":"1${'0'.repeat(700_000)}1"}`, /"count" is 700002 bytes long/],
  'a text of 700 000 characters': [`{"name":"${'x'.repeat(700_000)}"}`, /"name" is 700000 bytes long/],
  'a list of 380 000 numbers': [`{"name":"x","labels":[${times(380_000, '1')}]}`, /"labels" holds 380000 values/],
  'one long text in a list': [`{"name":"x","labels":["${'x'.repeat(200_000)}"]}`, /"labels" holds one that is 200000/],
  '70 000 names that nobody knows': [
    `{${Array.from({ length: 70_000 }, (_, index) => `"n${index}":1`).join()}}`,
    /70000 names were given, 1000 are looked at/,
  ],
};

for (const [what, [text, reason]] of Object.entries(huge)) {
  test(`${what}: refused, and nobody else waits long for it`, () => {
    const began = performance.now();
    assert.throws(() => tool.prepare(inputFromText(text)), { code: 'FISK_ARGUMENTS_INVALID', message: reason });
    assert.ok(performance.now() - began < 1_000);
  });
}

test('a number whose digits end in many zeros costs no more than any other of its length', () => {
  const began = performance.now();
  tool.prepare(inputFromText(`{"name":"x","count":"1${'0'.repeat(130_000)}1"}`));
  assert.ok(performance.now() - began < 1_000);
});

test('half of a character is refused, wherever it stands, and nothing is put in its place', () => {
  for (const text of [
    '{"name":"a\\ud800b"}',
    '{"name":"\\udc00"}',
    '{"name":"x","labels":["ok","\\udfff"]}',
    '{"name":"x","labels":{"\\ud83d":"y"}}',
  ]) {
    assert.throws(() => tool.prepare(inputFromText(text)), {
      code: 'FISK_ARGUMENTS_INVALID',
      message: /"(name|labels)" holds .*half of a character/,
    });
  }
  tool.prepare(inputFromText('{"name":"\\ud83d\\ude00"}'));
});
