import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { liveGroups } from '../../src/process/index.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { natsServerVersions, startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { isAlive, waitFor } from '../support/wait.ts';
import { WireCaller, type WireMessage, wireCall, wireHeader } from '../support/wire-caller.ts';

/** What a set of answers comes to: its kinds in order, and the end. */
function outline(messages: readonly WireMessage[]) {
  return messages.map((message) => message.kind);
}

function last(messages: readonly WireMessage[]): Record<string, unknown> {
  const message = messages.at(-1);
  assert.equal(message?.final, true, 'the last message is marked as such');
  assert.equal(message?.kind, 'tool.reply');
  return message.json ?? {};
}

const TOOL = 'choria.fisk-ai.tool.lab';

for (const version of natsServerVersions()) {
  describe(`calls to a daemon on nats-server ${version}`, () => {
    let nats: TestNatsServer;
    let daemon: TestDaemon;
    let caller: WireCaller;

    before(async () => {
      nats = await startNatsServer({ version });
      daemon = await startDaemon({ url: nats.url, a2a: 'max_concurrent_tools: 2\ntool_timeout: 2s' });
      caller = await WireCaller.connect(nats.url);
    });
    after(async () => {
      await caller.close();
      assert.deepEqual(await daemon.stop(), {});
      await nats.stop();
    });

    test('a call that runs is acknowledged first and ends with one final reply', async () => {
      const messages = await caller.call('lab', 'echo', { words: ['a b', '--x', '$(id)'] });
      assert.deepEqual(outline(messages), ['ack', 'tool.reply']);
      assert.deepEqual(
        messages.map((message) => message.json?.['sequence']),
        [1, 2],
      );
      assert.deepEqual(
        messages.map((message) => message.final),
        [false, true],
      );
      assert.equal(messages[0]?.json?.['accepted'], true);
      const reply = last(messages);
      assert.equal(reply['output'], '[a b][--x][$(id)]\n');
      assert.deepEqual(reply['exec'], { command: 'echo -- a b --x $(id)' });
      assert.equal('is_error' in reply, false);
      assert.deepEqual(reply['sender'], { name: 'lab' });
      assert.deepEqual(reply['recipient'], { name: 'wire-caller' });
    });

    test('an exit code is a result, a death by signal is minus one, and neither is an error', async () => {
      const code = last(await caller.call('lab', 'exit', { code: 7 }));
      assert.deepEqual(code['exec'], { command: 'exit -- 7', exit_code: 7 });
      const signal = last(await caller.call('lab', 'signal'));
      assert.deepEqual(signal['exec'], { command: 'signal', exit_code: -1 });
      assert.equal('is_error' in code || 'is_error' in signal, false);
    });

    test('a long output is shortened and says so', async () => {
      const reply = last(await caller.call('lab', 'big', { bytes: 100_000 }));
      assert.deepEqual(reply['exec'], { command: 'big -- 100000', truncated: true });
      assert.equal(String(reply['output']).length, 65536 + '\n...[output truncated]...\n'.length);
    });

    test('absent arguments are none at all', async () => {
      assert.equal(last(await caller.call('lab', 'echo'))['output'], '\n');
      assert.equal(last(await caller.call('lab', 'echo', {}))['output'], '\n');
    });

    test('digits reach the command as they were sent', async () => {
      const reply = last(await caller.call('lab', 'echo', '{"words":[1.50,9007199254740993,1e3,-0]}'));
      assert.equal(reply['output'], '[1.50][9007199254740993][1e3][-0]\n');
    });

    test('arguments that do not fit are answered with the rule, and nothing runs', async () => {
      for (const [tool, input, words] of [
        ['grade', { grade: 'c' }, ['grade', 'a', 'b']],
        ['grade', {}, ['grade', 'required']],
        ['grade', { grade: 'a', count: 10 }, ['count', '9']],
        ['grade', { grade: 'a', other: 1 }, ['other', 'unknown']],
        ['grade', '{"grade":"a","__proto__":{}}', ['__proto__']],
        ['echo', { words: ['a\0b'] }, ['words', 'NUL']],
        ['echo', { words: ['x'.repeat(131_072)] }, ['argument', '131072']],
      ] as const) {
        const messages = await caller.call('lab', tool, input);
        assert.equal(messages[0]?.json?.['accepted'], true);
        const reply = last(messages);
        assert.equal(reply['is_error'], true);
        assert.equal(reply['code'], 'invalid_input');
        assert.equal('exec' in reply, false);
        for (const word of words) assert.ok(String(reply['output']).includes(word), `${reply['output']} names ${word}`);
      }
    });

    test('unknown, gated and denied tools look the same, and odd names are just unknown', async () => {
      for (const name of ['nothing', 'approved', 'denied', '__proto__', 'toString', '', 'x"\ny', 'x'.repeat(10_240)]) {
        const messages = await caller.call('lab', name);
        const told = `lab serves no tool ${JSON.stringify(name.slice(0, 128))}`;
        assert.deepEqual([messages[0]?.json?.['accepted'], messages[0]?.json?.['reason']], [false, told]);
        const reply = last(messages);
        assert.deepEqual([reply['is_error'], reply['code'], reply['output']], [true, 'unknown_tool', told]);
        assert.equal('exec' in reply, false);
      }
      assert.equal(last(await caller.call('lab', 'constructor'))['output'], 'constructed\n');
    });

    test('a command that outlives its time is ended with its group, and its output so far comes back', async () => {
      const reply = last(await caller.call('lab', 'stubborn'));
      assert.equal(reply['is_error'], true);
      assert.equal(reply['code'], 'timeout');
      assert.equal('exec' in reply, false);
      const output = String(reply['output']);
      assert.match(output, /2s/);
      const [pid, child] = (/waiting (\d+) (\d+)/.exec(output) ?? []).slice(1).map(Number);
      assert.ok(pid && child && !isAlive(pid) && !isAlive(child));
    });

    test('with every slot taken a call is refused at once, hopeless ones as such, and the slots come back', async () => {
      const first = caller.open(TOOL, wireCall('lab', 'sleep', { seconds: '1' }));
      const second = caller.open(TOOL, wireCall('lab', 'sleep', { seconds: '1' }));
      await waitFor(() => first.messages.length > 0 && second.messages.length > 0);
      const refused = await caller.call('lab', 'echo');
      assert.deepEqual(outline(refused), ['ack', 'tool.reply']);
      assert.equal(refused[0]?.json?.['accepted'], false);
      const reply = last(refused);
      assert.equal(reply['code'], 'capacity');
      for (const word of ['echo', 'lab', '2']) assert.ok(String(reply['output']).includes(word));
      const hints = reply['fisk_ts'] as Record<string, number>;
      assert.equal(hints['in_use'], 2);
      assert.equal(hints['limit'], 2);
      assert.ok((hints['retry_after_ms'] ?? 0) > 0);
      assert.equal(last(await caller.call('lab', '__proto__'))['code'], 'unknown_tool');
      assert.equal(last(await caller.call('lab', 'grade', { grade: 'z' }))['code'], 'invalid_input');
      assert.deepEqual([first.ended(), second.ended()], [false, false], 'none of these waited for a slot');
      await waitFor(() => first.ended() && second.ended());
      assert.equal(last(await caller.call('lab', 'echo'))['output'], '\n');
      assert.equal(liveGroups.size, 0);
    });

    test('the same request twice runs twice', async () => {
      const body = wireCall('lab', 'echo', { words: ['x'] }, { request: 'same', id: 'same' });
      assert.equal(last(await caller.send(TOOL, body))['output'], '[x]\n');
      assert.equal(last(await caller.send(TOOL, body))['output'], '[x]\n');
    });

    test('a call without reply subject runs nothing, takes no slot and is one log line', async () => {
      const before = daemon.lines.length;
      caller.nc.publish(TOOL, wireCall('lab', 'sleep', { seconds: '5' }));
      await waitFor(() => daemon.lines.length > before);
      assert.equal(liveGroups.size, 0);
      const fresh = daemon.lines.slice(before);
      assert.deepEqual(
        fresh.map((line) => line['level']),
        ['warn'],
      );
      assert.equal(fresh[0]?.['tool'], 'sleep');
    });

    test('what is malformed is refused with headers alone, and nobody else notices', async () => {
      const good = JSON.parse(wireCall('lab', 'echo')) as Record<string, unknown>;
      const broken: Record<string, string> = {
        'an empty body': '',
        'no JSON': 'hello',
        'an array': '[]',
        'text behind the object': `${JSON.stringify(good)} x`,
        'nine hundred KiB of spaces': ' '.repeat(900 * 1024),
        'a depth of 2 000': JSON.stringify(good).replace('}', `,"input":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}`),
        'another protocol': JSON.stringify({ ...good, protocol: 'io.choria.fisk-ai.v2.tool.request' }),
        'a message of another family': JSON.stringify(wireHeader('discovery.request', 'lab')),
        'a null input': JSON.stringify({ ...good, input: null }),
        'an input that is no object': JSON.stringify({ ...good, input: [1] }),
        'no name': JSON.stringify({ ...good, name: undefined }),
        'a time that is none': JSON.stringify({ ...good, time: 'yesterday' }),
        'a request tag with a dot': JSON.stringify({ ...good, request: 'a.b' }),
        'a conversation that no answer could repeat': JSON.stringify({ ...good, conversation: 'c'.repeat(700_000) }),
        'a sender whose name no answer could repeat': JSON.stringify({
          ...good,
          sender: { name: 's'.repeat(700_000) },
        }),
        'a negative sequence': JSON.stringify({ ...good, sequence: -1 }),
      };
      const before = daemon.lines.length;
      for (const [what, body] of Object.entries(broken)) {
        const messages = await caller.send(TOOL, body);
        assert.equal(messages.length, 1, what);
        assert.equal(messages[0]?.refusal?.code, '400', what);
        assert.equal(messages[0]?.final, false, what);
        assert.equal(messages[0]?.raw.length, 0, what);
      }
      const fresh = daemon.lines.slice(before);
      assert.equal(fresh.length, 10, 'the rest is counted and told in one line later');
      assert.ok(fresh.every((line) => line['level'] === 'warn' && line['class'] && line['bytes'] !== undefined));
      assert.equal(last(await caller.call('lab', 'echo'))['output'], '\n');
    });

    test('unknown properties are ignored and never echoed', async () => {
      const messages = await caller.call(
        'lab',
        'echo',
        {},
        { colour: 'red as a brick', traceparent: 'garbage', must_understand: true },
      );
      assert.ok(!JSON.stringify(messages.map((message) => message.json)).includes('red as'));
    });

    test('every call leaves lines that are joined by its request, with the kind and without output', async () => {
      const before = daemon.lines.length;
      await caller.call('lab', 'echo', { words: ['classified'] }, { request: 'r-log' });
      await waitFor(() => daemon.lines.length >= before + 2);
      const lines = daemon.lines.slice(before).filter((line) => line['request'] === 'r-log');
      assert.deepEqual(
        lines.map((line) => [line['level'], line['msg']]),
        [
          ['info', 'tool call running'],
          ['info', 'tool call completed'],
        ],
      );
      for (const line of lines) {
        assert.equal(line['kind'], 'application');
        assert.equal(line['caller'], 'wire-caller');
        assert.equal(line['caller_verified'], false);
        assert.equal(line['tool'], 'echo');
      }
      assert.equal(lines[1]?.['exit_code'], 0);
      assert.equal(typeof lines[1]?.['duration'], 'number');
      assert.equal(lines[1]?.['command'], 'echo -- classified');
      await caller.call('lab', 'exit', { code: '3' });
      await caller.call('lab', 'sleep', { seconds: '9' });
      const text = JSON.stringify(daemon.lines.slice(before));
      assert.match(text, /"exit_code":3.*"code":"timeout"/);
      assert.doesNotMatch(text, /\[classified\]|exiting with|sleeping \d/, "what a command wrote is nobody else's");
    });
  });
}
