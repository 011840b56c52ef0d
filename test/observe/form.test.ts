import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../../src/observe/index.ts';

function capture(format: 'json' | 'text', level: 'info' | 'debug' = 'info') {
  const lines: string[] = [];
  const log = createLogger({ level, format, destination: { write: (line) => lines.push(line) } });
  return { log, lines };
}

const TIME = /"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/;

test('a JSON line has time, level and message first, then the fields', () => {
  const { log, lines } = capture('json');
  log.info({ tool: 'stock_list', exit_code: 0, nested: { msg: 'x' } }, 'tool call "completed"');
  const [line = ''] = lines;
  assert.match(line, TIME);
  assert.ok(line.endsWith('\n'));
  const parsed = JSON.parse(line) as Record<string, unknown>;
  assert.deepEqual(Object.keys(parsed), ['time', 'level', 'msg', 'tool', 'exit_code', 'nested']);
  assert.equal(parsed['level'], 'info');
  assert.equal(parsed['msg'], 'tool call "completed"');
  assert.deepEqual(parsed['nested'], { msg: 'x' });
});

test('the message stays first with bound fields, and no field can pass for it', () => {
  const { log, lines } = capture('json');
  log.child({ identity: 'lab' }).warn({ text: 'a","msg":"b"}', deep: { a: 1, msg: 'inner' } }, 'real\n"}');
  log.error({ deep: { a: 1, msg: 'inner' } });
  log.warn('bare');
  const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(Object.keys(parsed[0] ?? {}), ['time', 'level', 'msg', 'identity', 'text', 'deep']);
  assert.equal(parsed[0]?.['msg'], 'real\n"}');
  assert.equal(parsed[0]?.['text'], 'a","msg":"b"}');
  assert.deepEqual(Object.keys(parsed[1] ?? {}), ['time', 'level', 'deep']);
  assert.deepEqual(parsed[1]?.['deep'], { a: 1, msg: 'inner' });
  assert.deepEqual(Object.keys(parsed[2] ?? {}), ['time', 'level', 'msg']);
});

test('a text line has the same fields in the same order', () => {
  const { log, lines } = capture('text');
  log.info({ tool: 'stock_list', exit_code: 0, empty: '', list: [1, 'a b'] }, 'tool call completed');
  assert.match(
    lines[0] ?? '',
    /^time=\S+Z level=info msg="tool call completed" tool=stock_list exit_code=0 empty="" list=\[1,"a b"\]\n$/,
  );
});

test('a duration has its unit where a person reads it, and is a number where a program does', () => {
  const [text, json] = (['text', 'json'] as const).map((format) => {
    const { log, lines } = capture(format);
    log.info({ duration: 12, exit_code: 0 }, 'done');
    return lines[0] ?? '';
  });
  assert.match(text ?? '', / duration=12ms exit_code=0\n$/);
  assert.equal(JSON.parse(json ?? '').duration, 12);
});

test('no text can break out of its line or reach the terminal as a command', () => {
  for (const format of ['json', 'text'] as const) {
    const { log, lines } = capture(format);
    log.info(
      { a: 'x\ny', b: '\u001b[31m', c: '\u009b31m', d: '\u2028', f: 'a\u202eb', g: '\u2066', e: 'k=v' },
      'm\r\nlevel=error',
    );
    const line = lines[0] ?? '';
    assert.equal(line.indexOf('\n'), line.length - 1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    assert.doesNotMatch(line, /[\u001b\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
    if (format === 'text') {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      assert.doesNotMatch(line, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/);
      assert.ok(line.includes(' e="k=v"'));
    }
  }
});

test('debug lines appear when asked for only', () => {
  const quiet = capture('json');
  quiet.log.debug('hidden');
  assert.equal(quiet.lines.length, 0);
  const verbose = capture('json', 'debug');
  verbose.log.debug('shown');
  assert.equal((JSON.parse(verbose.lines[0] ?? '') as { level: string }).level, 'debug');
});
