import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import fc from 'fast-check';
import { ArgumentsInvalidError } from '../../src/errors.ts';
import { isInteger } from '../../src/tools/arguments/text.ts';
import { type CommandTool, inputFromText, readTags, sanitize } from '../../src/tools/index.ts';
import { demo } from './demo.ts';
import { load, printed, seenArgv, toolOf } from './loading.ts';

const runs = { numRuns: 400 };
const nasty = fc.constantFrom(
  '-x',
  '--',
  '--force',
  '@file',
  '',
  ' ',
  'a=b',
  '--no-force',
  "'",
  '$(id)',
  '\n',
  '-',
  '=',
);
const word = fc.oneof(nasty, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
const value = fc.oneof(word, fc.boolean(), fc.integer(), fc.double(), fc.constant(null));
const member = fc.oneof(value, fc.array(value, { maxLength: 4 }), fc.dictionary(word, value, { maxKeys: 3 }));

const text = fc.oneof(word, fc.integer(), fc.boolean());
/** A call whose members mostly fit, with some that do not and some that nobody declared. */
const sound = fc.record(
  {
    name: text,
    kind: text,
    extra: fc.array(text, { maxLength: 3 }),
    force: fc.boolean(),
    yes: fc.boolean(),
    count: fc.integer(),
    ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
    ttl: text,
    tag: fc.oneof(text, fc.array(text, { maxLength: 3 })),
    label: fc.dictionary(word, text, { maxKeys: 3 }),
    verbosity: fc.nat(20),
    context: text,
    trace: fc.boolean(),
  },
  { requiredKeys: ['name'] },
);
const odd = fc.dictionary(fc.oneof(fc.constantFrom('name', 'force', 'count', 'label'), word), member, { maxKeys: 2 });
const call = fc.oneof(
  { weight: 4, arbitrary: sound },
  { weight: 1, arbitrary: fc.tuple(sound, odd).map(([parts, more]) => ({ ...parts, ...more })) },
);

const FLAG = /^--(no-force|no-trace|force|yes|color|verbosity|trace)$|^--(count|ratio|ttl|label|tag|context)=/s;

suite('whatever a caller sends', () => {
  let tool: CommandTool;
  before(async () => {
    tool = toolOf(await load(demo, { globalFlags: ['context', 'trace'] }), 'add');
  });

  const vectorOf = (text: string): readonly string[] | undefined => {
    try {
      return tool.prepare(inputFromText(text)).argv;
    } catch (error) {
      assert.ok(error instanceof ArgumentsInvalidError, `${error}`);
      assert.ok(error.message.length < 3000);
      return undefined;
    }
  };

  test('a vector holds the command, flags that were declared, and the rest behind the separator', () => {
    let rendered = 0;
    const check = fc.property(call, (parts) => {
      const argv = vectorOf(JSON.stringify(parts));
      if (argv === undefined) return;
      rendered++;
      assert.equal(argv[0], 'add');
      const separator = argv.indexOf('--');
      const flags = separator < 0 ? argv.slice(1) : argv.slice(1, separator);
      for (const flag of flags) assert.match(flag, FLAG);
      if (separator >= 0) assert.ok(!argv.slice(separator + 1).includes('--'));
    });
    fc.assert(check, { numRuns: 2000 });
    assert.ok(rendered > 500, `${rendered} calls fitted`);
  });

  test('text arrives as it was sent, in a flag and in an argument', () => {
    const check = fc.property(word, word, (ttl, name) => {
      const argv = vectorOf(JSON.stringify({ ttl, name }));
      if (argv === undefined) assert.ok(ttl.includes('\0') || name.includes('\0') || name === '--');
      else assert.deepEqual(argv, ['add', `--ttl=${ttl}`, '--', name]);
    });
    fc.assert(check, runs);
  });

  test('a real command sees exactly the vector', async () => {
    const printable = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text !== '--');
    const check = fc.asyncProperty(printable, fc.array(printable, { maxLength: 3 }), async (name, tag) => {
      const expected = ['add', ...tag.map((text) => `--tag=${text}`), '--', name];
      assert.equal(await seenArgv(tool, JSON.stringify({ name, tag })), printed(expected));
    });
    await fc.assert(check, { numRuns: 40 });
  });

  test('numbers keep their digits', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$/);
    const check = fc.property(digits, (text) => {
      const argv = vectorOf(`{"name":${text},"ratio":${text},"tag":[${text}],"label":{"k":${text}}}`);
      assert.deepEqual(argv, ['add', `--ratio=${text}`, `--label=k=${text}`, `--tag=${text}`, '--', text]);
    });
    fc.assert(check, runs);
  });

  test('a number is an integer exactly when it has no fraction', () => {
    const check = fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.nat(12), (whole, shift) => {
      assert.ok(isInteger(`${whole}`) && isInteger(`${whole}.000`) && isInteger(`${whole}e${shift}`));
      assert.equal(isInteger(`${whole}e-${shift}`), whole % 10n ** BigInt(shift) === 0n);
      assert.equal(isInteger(`${whole}.5e${shift}`), shift > 0);
    });
    fc.assert(check, runs);
  });

  test('junk is refused and nothing else happens', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => void vectorOf(text)),
      runs,
    );
    assert.equal(vectorOf(`{"name":${'['.repeat(5000)}1${']'.repeat(5000)}}`), undefined);
    assert.equal(vectorOf(`{"name":1,"tag":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`), undefined);
  });
});

test('the order of tags never matters', () => {
  const tag = fc.constantFrom('ai:read_only', 'ai:destructive', 'ai:additive', 'ai:idempotent', 'ai:odd', 'free');
  const shuffled = fc
    .uniqueArray(tag)
    .chain((tags) => fc.tuple(fc.constant(tags), fc.shuffledSubarray(tags, { minLength: tags.length })));
  const check = fc.property(shuffled, ([tags, others]) => {
    assert.deepEqual(readTags(tags).behavior, readTags(others).behavior);
    assert.deepEqual(readTags(tags).conflicts, readTags(others).conflicts);
  });
  fc.assert(check, runs);
});

test('sanitised text never holds a control character and keeps its bound', () => {
  const check = fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, limit) => {
    const clean = sanitize(`\u001b[${text}\u001b]${text}`, limit);
    assert.doesNotMatch(clean, /[\p{Cc}]/u);
    assert.ok([...clean].length <= limit + 1);
  });
  fc.assert(check, runs);
});
