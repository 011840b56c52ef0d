import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { command } from './demo.ts';
import { argvOf, load, toolOf } from './loading.ts';

/** A command with one flag `v` of that schema. */
const oneFlag = (schema: object, flag: object = {}) => ({
  name: 'x',
  commands: [
    command('c', { v: schema }, [], { flags: [{ name: 'v', help: '', boolean: false, cumulative: false, ...flag }] }),
  ],
});

const fits = Symbol('fits');
type Row = readonly [schema: object, value: string, outcome: RegExp | typeof fits];

const uint8 = { type: 'integer', minimum: 0, maximum: 255 };
const duration = { type: 'string', pattern: '^(0|[-+]?(\\d+(\\.\\d+)?(ns|us|µs|ms|s|m|h))+)$' };
const color = { type: 'string', enum: ['red', 'blue', '1'] };
const colors = { type: 'array', items: color };
const address = { type: 'string', oneOf: [{ format: 'ipv4' }, { format: 'ipv6' }] };

const rows: Row[] = [
  [uint8, '255', fits],
  [uint8, '"255"', fits],
  [uint8, '0', fits],
  [uint8, '255.0', fits],
  [uint8, '2.55e2', fits],
  [uint8, '0.1e1', fits],
  [uint8, '256', /"v" must be at most 255; 256 is more/],
  [uint8, '-1', /"v" must be at least 0; -1 is less/],
  [uint8, '1.5', /"v" must be an integer, 1.5 was given/],
  [uint8, '255.00000000000000000001', /must be an integer/],
  [uint8, '1e-1', /must be an integer/],
  [uint8, 'true', /must be an integer, true was given/],
  [uint8, '"0x10"', /must be an integer, the string "0x10" was given/],
  [uint8, '" 5 "', /must be an integer/],
  [uint8, '"5 "', /must be an integer/],
  [uint8, '"+5"', /must be an integer/],
  [uint8, '""', /must be an integer/],
  [uint8, '[1]', /takes an integer, a list was given/],
  [{ type: 'integer' }, '9007199254740993', fits],
  [{ type: 'integer' }, '9007199254740993.5', /must be an integer/],
  [{ type: 'integer' }, '0e-5', fits],
  [{ type: 'integer' }, '1e999999999999', fits],
  [{ type: 'number' }, '1.5', fits],
  [{ type: 'number' }, '"1.5"', fits],
  [{ type: 'number' }, '"NaN"', /must be a number/],
  [{ type: 'number' }, '"Infinity"', /must be a number/],
  [{ type: 'number' }, '"01"', /must be a number/],
  [{ type: 'string' }, '1.50', fits],
  [{ type: 'string' }, 'true', fits],
  [{ type: 'boolean' }, 'true', fits],
  [{ type: 'boolean' }, '"true"', /must be true or false, the string "true" was given/],
  [{ type: 'boolean' }, '1', /must be true or false, 1 was given/],
  [duration, '"1h30m"', fits],
  [duration, '0', fits],
  [duration, '5', /"v" must match .*; "5" does not/],
  [duration, '"1h\\n"', /must match/],
  [{ type: 'integer', pattern: '^x' }, '5', fits],
  [color, '"red"', fits],
  [color, '1', fits],
  [color, '"Red"', /"v" must be one of "red", "blue", "1"; "Red" is not/],
  [colors, '["red","blue"]', fits],
  [colors, '"red"', fits],
  [colors, '["red","green"]', /"v" element 2 must be one of "red", "blue", "1"; "green" is not/],
  [colors, '"green"', /"v" must be one of/],
  [colors, '[]', fits],
  [colors, '["red",null]', /"v" element 2 must be one value, null was given/],
  [colors, '[["red"]]', /"v" element 1 must be one value, a list was given/],
  [colors, '{"red":"1"}', /"v" takes a list, an object was given/],
  [address, '"192.0.2.1"', fits],
  [address, '"nonsense"', fits],
  [{ type: 'string', format: 'uri-reference' }, '"::"', fits],
  [{ type: 'object', additionalProperties: uint8 }, '{"a":1,"b":"2"}', fits],
  [{ type: 'object', additionalProperties: uint8 }, '{"a":300}', /"v" entry "a" must be at most 255/],
  [{ type: 'object', additionalProperties: { type: 'string' } }, '{"a":[1]}', /"v" entry "a" must be one value/],
  [{ type: 'object', additionalProperties: { type: 'string' } }, '["a=1"]', /"v" takes an object/],
  [{ type: ['string', 'null'] }, 'null', fits],
  [{}, '"anything"', fits],
  [{ type: 'object', additionalProperties: false }, '{"a":"1"}', /"v" entry "a" must be nothing/],
  [{ type: 'object', additionalProperties: true }, '{"a":"1"}', fits],
  [{ enum: [1, 2.5] }, '1.0', fits],
  [{ enum: [1, 2.5] }, '3', /must be one of "1", "2.5"/],
];

suite('a value is judged by the text the command would receive', () => {
  for (const [schema, value, outcome] of rows) {
    test(`${JSON.stringify(schema)} and ${value}`, async () => {
      const tool = toolOf(await load(oneFlag(schema)), 'c');
      const judged = () => argvOf(tool, `{"v":${value}}`);
      if (outcome === fits) judged();
      else assert.throws(judged, { name: 'FISK_ARGUMENTS_INVALID', message: outcome });
    });
  }
});

suite('a schema that does not hold together leaves its property to the command, with a notice', () => {
  const broken: [object | string | null, RegExp][] = [
    [{ type: 'text' }, /c: v: its type "text" is none/],
    [{ type: [] }, /its type \[\] is none/],
    [{ type: 'string', pattern: '(' }, /its pattern "\(" is not one that can be judged/],
    [{ type: 'string', pattern: '(?=x)x' }, /its pattern/],
    [{ type: 'string', pattern: 5 }, /its pattern is no text/],
    [{ type: 'string', enum: 'red' }, /its enum is no list/],
    [{ type: 'string', enum: [] }, /its enum is no list/],
    [{ type: 'integer', minimum: '5' }, /its minimum is no number/],
    [{ type: 'array', items: { type: 'text' } }, /its type "text" is none/],
    [{ type: 'array', items: 5 }, /its schema is no object/],
    ['string', /its schema is no object/],
    [null, /its schema is no object/],
    [{ type: 'string', minLength: 3, not: {} }, /minLength, not in its schema is not judged here/],
    [
      { const: 1, maxLength: 1, exclusiveMinimum: 9, exclusiveMaximum: 0, multipleOf: 5, allOf: [], anyOf: [], if: {} },
      /const, maxLength, exclusiveMinimum, exclusiveMaximum, multipleOf, allOf, anyOf, if in its/,
    ],
    [
      { minItems: 3, maxItems: 0, uniqueItems: true, $ref: '#/x' },
      /minItems, maxItems, uniqueItems, \$ref in its schema is not judged/,
    ],
    [{ oneOf: [{ type: 'string' }] }, /oneOf in its schema is not judged here/],
  ];
  for (const [schema, notice] of broken) {
    test(JSON.stringify(schema), async () => {
      const application = await load(oneFlag(schema as object));
      assert.equal(application.notices.length, 1);
      assert.equal(application.notices[0]?.kind, 'schema_unusable');
      assert.match(application.notices[0]?.message ?? '', notice);
      assert.deepEqual(argvOf(toolOf(application, 'c'), '{"v":"x"}'), ['c', '--v=x']);
    });
  }
});

test('the published full schema is judged, never the reduced one that is shown', async () => {
  const leaf = command('c', {}, []);
  const flags = [{ name: 'label', help: '', boolean: false, cumulative: true }];
  const schemas = {
    schema: { ...leaf.schema, properties: { label: { type: 'object', additionalProperties: { type: 'string' } } } },
    restricted_schema: { ...leaf.schema, properties: { label: { type: 'object', additionalProperties: false } } },
  };
  const tool = toolOf(await load({ name: 'x', commands: [{ ...leaf, ...schemas, flags }] }), 'c');
  assert.deepEqual(argvOf(tool, '{"label":{"a":"1"}}'), ['c', '--label=a=1']);
  assert.deepEqual(tool.inputSchema, schemas.restricted_schema);
});

test('a schema that advertises or requires what the command has no place for is told, and such a value is refused', async () => {
  const application = await load({
    name: 'x',
    commands: [command('c', { ghost: { type: 'string' } }, ['ghost', 'spirit'])],
  });
  const told = application.notices.map(({ message }) => message);
  assert.equal(told.length, 2);
  assert.match(told[0] ?? '', /ghost: no flag or argument of that name exists/);
  assert.match(told[1] ?? '', /requires arguments that nobody can give/);
  const tool = toolOf(application, 'c');
  assert.deepEqual(argvOf(tool, '{}'), ['c']);
  assert.throws(() => argvOf(tool, '{"ghost":"x"}'), /"ghost" is unknown/);
});

test('a schema nested so deeply that no message could carry it is not shown, and such a property is not judged', async () => {
  const nested = (levels: number): string =>
    `${'{"type":"array","items":'.repeat(levels)}{"type":"string"}${'}'.repeat(levels)}`;
  const flags = '[{"name":"v","help":""}]';
  const around = (v: string) => `{"type":"object","properties":{"v":${v}}}`;
  const document = (shown: string, judged: string) =>
    `{"name":"x","commands":[{"name":"c","help":"","restricted_schema":${shown},"schema":${judged},"flags":${flags}}]}`;
  const plain = around('{"type":"string"}');

  const unshown = await load(document(around(nested(20_000)), plain));
  assert.deepEqual(toolOf(unshown, 'c').inputSchema, { type: 'object' });
  assert.match(unshown.notices[0]?.message ?? '', /nested too deeply for a message/);

  const unjudged = await load(document(plain, around(nested(20_000))));
  assert.deepEqual(argvOf(toolOf(unjudged, 'c'), '{"v":"x"}'), ['c', '--v=x']);
  assert.match(unjudged.notices[0]?.message ?? '', /c: v: its schema is nested too deeply/);

  const deepest = await load(document(around(nested(58)), plain));
  assert.deepEqual(deepest.notices, []);
});

test('a schema that describes no object is shown as one without arguments', async () => {
  for (const schema of [{}, { type: 'array' }, { type: 'object', properties: [] }]) {
    const application = await load({ name: 'x', commands: [{ name: 'c', help: 'C', restricted_schema: schema }] });
    assert.deepEqual(toolOf(application, 'c').inputSchema, { type: 'object' });
    assert.deepEqual(
      application.notices.map(({ kind }) => kind),
      ['schema_unusable'],
    );
  }
});

test('a pattern that makes other engines hang costs no time', async () => {
  const tool = toolOf(await load(oneFlag({ type: 'string', pattern: '^(a+)+$' })), 'c');
  const started = performance.now();
  assert.throws(() => argvOf(tool, JSON.stringify({ v: `${'a'.repeat(50_000)}!` })), /must match/);
  assert.ok(performance.now() - started < 1000);
});
