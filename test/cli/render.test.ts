import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderCard } from '../../src/cli/render/card.ts';
import { renderWithheld } from '../../src/cli/render/check.ts';
import { renderError, renderFailure } from '../../src/cli/render/errors.ts';
import { elapsedText, startSpinner } from '../../src/cli/render/spinner.ts';
import { styleFor } from '../../src/cli/render/style.ts';
import { renderTable } from '../../src/cli/render/table.ts';
import { Channel, type TextStream } from '../../src/cli/render/terminal.ts';
import { cut, oneLine, plain } from '../../src/cli/render/text.ts';
import { renderTool } from '../../src/cli/render/tool.ts';
import { UsageError } from '../../src/errors.ts';
import type { AgentCard, ToolDescriptor } from '../../src/protocol/index.ts';
import { memoryTerminal } from './memory-terminal.ts';

test('emphasis needs a terminal, and any text in NO_COLOR switches it off', () => {
  const bold = '\u001b[1mx\u001b[22m';
  assert.equal(styleFor(true, {}).bold('x'), bold);
  assert.equal(styleFor(true, { NO_COLOR: '' }).bold('x'), bold);
  assert.equal(styleFor(false, {}).bold('x'), 'x');
  for (const value of ['1', '0', 'false', 'yes']) assert.equal(styleFor(true, { NO_COLOR: value }).bold('x'), 'x');
  assert.equal(styleFor(true, { TERM: 'dumb' }).bold('x'), 'x');
});

test('a table aligns its columns and no line of it ends in spaces', () => {
  const text = renderTable(
    ['A', 'Long one'],
    [
      ['wide cell', 'x'],
      ['é', ''],
      ['y', 'z'],
    ],
    { indent: 2 },
  );
  assert.equal(text, '  A          Long one\n  wide cell  x\n  é\n  y          z\n');
});

test('text of others loses escape sequences and control characters and keeps everything else', () => {
  assert.equal(plain('a\u001b[31mb\u001b[0m\u0007c\r\nd\te\u0000'), 'abc\nd\te');
  assert.equal(plain('grüße 😀 日本'), 'grüße 😀 日本');
  assert.equal(oneLine('  a\r\nb\rc\u2028d\n\n\te  '), 'a b c d e');
  assert.equal(cut('😀😀😀', 2), '😀😀...');
  assert.equal(cut('😀😀', 2), '😀😀');
});

test('commands left out for one reason are named while they are few and counted when they are many', () => {
  const out = (count: number, reason: string) =>
    Array.from({ length: count }, (_, index) => ({ name: `${reason}${index}`, reason }));
  const text = renderWithheld([...out(1, 'a'), ...out(200, 'b'), ...out(10, 'c')]);
  assert.equal(text.match(/ b$/gm)?.length, 1);
  assert.match(text, /^ {4}200 commands +b$/m);
  assert.match(text, /^ {4}a0 +a$/m);
  assert.equal(text.match(/^ {4}c\d +c$/gm)?.length, 10);
});

test('a failure with a name is one block with the message, the remedy and the code', () => {
  const text = renderError(new UsageError('that is not how'));
  assert.match(text, /^fisk: error: that is not how\n {2}\S.* \[FISK_USAGE\]\n$/);
});

test('a failure of the system says its message, one of ours that nobody foresaw shows where it happened', () => {
  const system = Object.assign(new Error('EACCES: permission denied'), { syscall: 'open', code: 'EACCES' });
  assert.equal(renderError(system), 'fisk: error: EACCES: permission denied\n');
  assert.match(renderError(new TypeError('oops')), /^fisk: error: TypeError: oops\n\s+at /);
  assert.equal(renderError('just text'), 'fisk: error: just text\n');
});

test('a failure cannot bring escape sequences of others onto the terminal', () => {
  assert.ok(!renderError(new UsageError('\u001b[2Jgone')).includes('\u001b'));
});

test('elapsed time is short to read', () => {
  assert.deepEqual([0, 3_240, 59_940, 65_000, 3_600_000].map(elapsedText), [
    '0.0s',
    '3.2s',
    '59.9s',
    '1m05s',
    '60m00s',
  ]);
});

test('a spinner shows nothing where nobody watches', async () => {
  const terminal = memoryTerminal();
  const spinner = startSpinner(terminal.err, 'waiting');
  await sleep(400);
  spinner.stop();
  assert.equal(terminal.stderr(), '');
});

test('a spinner on a terminal shows label and time, wipes its line, and stays away from quick answers', async () => {
  const quick = memoryTerminal({ isTerminal: true });
  startSpinner(quick.err, 'quick').stop();
  assert.equal(quick.stderr(), '');

  const slow = memoryTerminal({ isTerminal: true, env: { NO_COLOR: '1' } });
  const spinner = startSpinner(slow.err, 'calling depot');
  await sleep(450);
  spinner.stop();
  spinner.stop();
  const written = slow.stderr();
  assert.ok(/. calling depot 0\.\ds/.test(written), JSON.stringify(written));
  assert.ok(written.endsWith('\r\u001b[2K'));
  await sleep(150);
  assert.equal(slow.stderr(), written, 'nothing is written after the stop');
});

test('a reader that went away is no failure; a full disk is one', async () => {
  for (const [code, failed] of [
    ['EPIPE', false],
    ['ENOSPC', true],
  ] as const) {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
    }) as TextStream;
    const channel = new Channel(stream, {});
    channel.line('one');
    await channel.flush();
    channel.line('two');
    await channel.flush();
    assert.equal(channel.failure !== undefined, failed, code);
    assert.ok(stream instanceof EventEmitter);
  }
});

test('JSON is one line for a pipe and indented for a person', () => {
  const pipe = memoryTerminal();
  pipe.out.json({ a: [1] });
  assert.equal(pipe.stdout(), '{"a":[1]}\n');
  const person = memoryTerminal({ isTerminal: true });
  person.out.json({ a: [1] });
  assert.equal(person.stdout(), '{\n  "a": [\n    1\n  ]\n}\n');
});

test('text of others costs no more than its length, and turns no direction', () => {
  const started = performance.now();
  for (const piece of ['\u001b]', '\u001b]a;', '\u001b[', '\u009b', '\u001b;a']) plain(piece.repeat(200_000));
  assert.ok(performance.now() - started < 2_000, `${performance.now() - started}`);
  assert.equal(plain('a\u202eb\u2066c\u200fd\u009b31me\u0085f'), 'abcdef');
  const terminal = memoryTerminal();
  terminal.out.json({ text: 'a\u202eb\u009b31m\u2028é\n' });
  assert.equal(terminal.stdout(), '{"text":"a\\u202eb\\u009b31m\\u2028é\\n"}\n');
  terminal.err.warning('a\u001b[2Jb\u2067\nc');
  assert.equal(terminal.stderr(), 'warning: ab c\n');
});

test('a code of a reply is short and without control characters', () => {
  const text = renderFailure({
    message: 'no',
    code: `x\u001b]0;PWNED\u0007${'y'.repeat(100_000)}`,
    remedy: 'a\u009bb\nc',
  });
  assert.match(text, /^fisk: error: no\n {2}a c \[xy{63}\.\.\.\]\n$/);
});

test('whatever their number, lines and names of a card can be laid out', () => {
  const many = Array.from({ length: 250_000 }, () => 'a');
  const card = { name: 'x', version: '1', description: 'a\n'.repeat(250_000), protocols: many } as unknown as AgentCard;
  const text = renderCard('x', { ...card, tools: many.map((name) => ({ name })) } as AgentCard);
  assert.match(text, /\.\.\. and 249000 more/);
  const properties = Object.fromEntries(many.map((name, i) => [`${name}${i}`, { description: 'b\n'.repeat(9) }]));
  assert.ok(renderTool('x', { name: 't', input_schema: { properties } } as unknown as ToolDescriptor).length > 250_000);
});
