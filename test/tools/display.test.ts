import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { describeCall, displayLine, inputFromText, sanitize, shellQuote } from '../../src/tools/index.ts';
import { demo } from './demo.ts';
import { load, toolOf } from './loading.ts';

suite('text of others on a terminal', () => {
  test('loses its escape sequences, whole and half', () => {
    assert.equal(sanitize('a\u001b[31mb\u001b[0m c', 100), 'ab c');
    assert.equal(sanitize('a\u001b]0;title\u0007b\u001b]8;;http://x\u001b\\c', 100), 'abc');
    assert.equal(sanitize('a\u001b(Bb\u001bcc', 100), 'abc');
    assert.equal(sanitize('a\u001b[31', 100), 'a31');
    assert.equal(sanitize('\u001b]0;unfinished', 100), '0;unfinished');
    assert.equal(sanitize('a\u001b', 100), 'a');
  });

  test('has spaces for control characters, and white space folded', () => {
    assert.equal(sanitize(' a\r\n\tb\u0000\u007f\u009bc  ', 100), 'a b c');
    assert.equal(sanitize('a\u202eb\u2066c\u200f', 100), 'a b c');
  });

  test('is cut at the end, by code points', () => {
    assert.equal(sanitize('abcdef', 6), 'abcdef');
    assert.equal(sanitize('abcdefg', 6), 'abcdef…');
    assert.equal(sanitize('😀😀😀', 2), '😀😀…');
    assert.equal(sanitize('😀😀😀', 3), '😀😀😀');
  });
});

suite('a command line for a person', () => {
  test('two different vectors never look alike', () => {
    assert.equal(displayLine(['a', 'b c']), "a 'b c'");
    assert.equal(displayLine(['a', 'b', 'c']), 'a b c');
    assert.equal(displayLine(['a', '']), "a ''");
    assert.equal(shellQuote("it's"), "'it'\\''s'");
    assert.equal(shellQuote('$(id)'), "'$(id)'");
    assert.equal(shellQuote('--tag=a'), '--tag=a');
  });

  test('has at most 2000 characters', () => {
    assert.equal(displayLine(['x'.repeat(2000)]), 'x'.repeat(2000));
    assert.equal(displayLine(['x'.repeat(2001)]), `${'x'.repeat(2000)}…`);
  });

  test('is shortened by its values alone, for display alone', async () => {
    const tool = toolOf(await load(demo), 'add');
    const value = '0123456789abcdefghij';
    const input = inputFromText(JSON.stringify({ name: value, ttl: value, kind: value.slice(1) }));
    const call = describeCall(tool, input);
    assert.equal(call.displayShort, 'add --ttl=0123456789...efghij -- 0123456789...efghij 123456789abcdefghij');
    assert.equal(call.display, `add --ttl=${value} -- ${value} ${value.slice(1)}`);
    assert.equal(tool.prepare(input).commandLine, call.display);
  });

  test('holds no control characters, while the command gets them and the record is unquoted', async () => {
    const tool = toolOf(await load(demo), 'nul');
    const call = tool.prepare(inputFromText('{"v":"a\\u001b[2Jb c"}'));
    assert.equal(call.displayLine, "nul -- 'ab c'");
    assert.equal(call.commandLine, 'nul -- a\u001b[2Jb c');
  });
});
