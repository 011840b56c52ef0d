import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { command } from './demo.ts';
import { load } from './loading.ts';

const names = async (document: unknown) => (await load(document)).tools.map(({ name }) => name);
const leaf = (name: string, more: object = {}) => command(name, {}, [], more);

suite('a document of the wrong form is refused, naming the place', () => {
  const wrong: [string, unknown, RegExp][] = [
    ['a list', [], /the document must be an object, a list was given/],
    ['a number', 5, /the document must be an object, a number was given/],
    ['null', null, /the document must be an object, null was given/],
    ['commands that are no list', { commands: {} }, /commands must be a list, an object was given/],
    [
      'an empty place among commands',
      { commands: [leaf('a'), null] },
      /commands\[1\] must be an object, null was given/,
    ],
    [
      'an empty place among flags',
      { commands: [leaf('a', { flags: [null] })] },
      /commands\[0\]\.flags\[0\] must be an object/,
    ],
    ['an empty place among arguments', { commands: [leaf('a', { args: [null] })] }, /commands\[0\]\.args\[0\] must be/],
    ['a name that is a number', { commands: [{ name: 5 }] }, /commands\[0\]\.name must be text, a number was given/],
    ['a name that is missing', { commands: [{ help: 'x' }] }, /commands\[0\]\.name must not be empty/],
    ['tags that are no texts', { commands: [leaf('a', { tags: [1] })] }, /tags must be a list of texts/],
    ['a schema that is text', { commands: [leaf('a', { schema: '{}' })] }, /commands\[0\]\.schema must be an object/],
    ['hidden as text', { commands: [leaf('a', { hidden: 'true' })] }, /hidden must be a boolean, a string was given/],
    [
      'a default that is a boolean on a flag',
      { flags: [{ name: 'f', default: true }] },
      /flags\[0\]\.default must be a list/,
    ],
    [
      'a default that is a list on a command',
      { commands: [leaf('a', { default: ['x'] })] },
      /default must be a boolean/,
    ],
    ['a short name that is a letter', { flags: [{ name: 'f', short: 'f' }] }, /flags\[0\]\.short must be an integer/],
    [
      'an error below a hidden command',
      { commands: [leaf('a', { hidden: true, flags: [7] })] },
      /flags\[0\] must be an obj/,
    ],
  ];
  for (const [what, document, message] of wrong) {
    test(what, () => assert.rejects(load(document), { name: 'FISK_APPLICATION_DOCUMENT', message }));
  }

  test('unknown keys and absent ones are no error', async () => {
    const more = { future: { a: [null] }, aliases: ['b'], help_long: null, flags: null, tags: null };
    assert.deepEqual(await names({ name: 'x', future: 1, commands: [leaf('a', more)] }), ['a']);
  });

  const nested = (depth: number): object =>
    depth === 1 ? leaf('n') : { name: 'n', help: '', commands: [nested(depth - 1)] };

  test('commands may be nested 32 deep and not deeper', async () => {
    assert.equal((await names({ name: 'x', commands: [nested(32)] })).length, 1);
    await assert.rejects(load({ name: 'x', commands: [nested(33)] }), /nested deeper than 32 commands/);
  });

  test('there may be 4096 tools and not more', async () => {
    const document = (count: number) => ({
      name: 'x',
      commands: Array.from({ length: count }, (_, i) => leaf(`c${i}`)),
    });
    assert.equal((await names(document(4096))).length, 4096);
    await assert.rejects(load(document(4097)), /4097 commands are more than the 4096/);
  });
});
