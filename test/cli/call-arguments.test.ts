import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inputText, needTypes, readArguments } from '../../src/cli/call-arguments.ts';
import { UsageError } from '../../src/errors.ts';

function words(...list: string[]) {
  const read = readArguments(list);
  assert.equal(read.form, 'words');
  return read.form === 'words' ? read.words : [];
}

test('one JSON object is sent as it was typed, digits included', () => {
  const text = '{"n": 9007199254740993, "x": 1.50}';
  assert.deepEqual(readArguments([text]), { form: 'json', text });
});

test('a JSON object that the shell has split is put together again', () => {
  assert.deepEqual(readArguments(['{"a":', '1}']), { form: 'json', text: '{"a": 1}' });
});

test('a dash alone means stdin', () => {
  assert.deepEqual(readArguments(['-']), { form: 'stdin' });
});

test('no words at all are no arguments', () => {
  assert.equal(inputText(words()), '{}');
});

test('the value of a word is text, up to the end and with every further equals sign', () => {
  assert.equal(
    inputText(words('name=bolt', 'count=5', 'note=a=b', 'empty=')),
    '{"name":"bolt","count":"5","note":"a=b","empty":""}',
  );
});

test('a name with := takes JSON as it stands', () => {
  assert.equal(
    inputText(words('count:=1.50', 'labels:=["a", "b"]', 'on:=true')),
    '{"count":1.50,"labels":["a", "b"],"on":true}',
  );
});

test('a repeated name makes a list', () => {
  assert.equal(inputText(words('label=a', 'label=b', 'label:=3')), '{"label":["a","b",3]}');
});

test('what cannot be read says what would do', () => {
  for (const bad of [['bolt'], ['=x'], [':=1'], ['a:=nope'], ['{"a":'], ['{} x'], ['-', 'a=b'], ['name=x', 'y']]) {
    assert.throws(() => readArguments(bad), UsageError, bad.join(' '));
  }
});

test('types are asked for only where text would not do', () => {
  assert.equal(needTypes(words('a=1', 'b=x', 'c=True', 'd:=true')), false);
  assert.equal(needTypes(words('a=true')), true);
  assert.equal(needTypes(words('a=["x"]')), true);
  assert.equal(needTypes(words('a={"x":"y"}')), true);
});

test('with types known, true is a boolean for a boolean and text for a string', () => {
  const types = new Map([
    ['on', 'boolean'],
    ['list', 'array'],
    ['map', 'object'],
  ]);
  const text = inputText(words('on=true', 'name=true', 'list=["a"]', 'map={"k":"v"}', 'other=["a"]'), (name) =>
    types.get(name),
  );
  assert.equal(text, '{"on":true,"name":"true","list":["a"],"map":{"k":"v"},"other":"[\\"a\\"]"}');
});

test('a name such as __proto__ is a name like any other', () => {
  assert.equal(inputText(words('__proto__=x', 'constructor=y')), '{"__proto__":"x","constructor":"y"}');
});

test('any words that are read make a JSON object that holds every name', () => {
  const name = fc.string({ minLength: 1, unit: 'binary' }).filter((text) => !/[=:{]/.test(text) && text !== '-');
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.string({ unit: 'binary' })), { minLength: 1 }), (pairs) => {
      const object = JSON.parse(inputText(words(...pairs.map(([key, value]) => `${key}=${value}`))));
      for (const [key, value] of pairs) {
        assert.ok(Object.hasOwn(object, key));
        assert.ok([object[key]].flat().includes(value));
      }
    }),
  );
});
