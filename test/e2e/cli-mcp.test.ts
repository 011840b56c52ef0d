import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { Client as NewClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as NewTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { fisk } from '../support/fisk.ts';
import { mcpCommand, startMcpProcess } from '../support/mcp-process.ts';
import { natsCli } from '../support/nats-cli.ts';
import { startNatsServer } from '../support/nats-server.ts';
import type { Json } from '../support/raw-mcp.ts';
import { start } from '../support/run.ts';
import { tempDir, tempFile, tempScript } from '../support/tmp.ts';
import { isAlive, waitFor, waitGone } from '../support/wait.ts';

const pidIn = (text: string) => Number(/sleeping (\d+)/.exec(text)?.[1]);

/** The pids of what a process has started, by any of its threads. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<Json>;
  close(): Promise<void>;
}

const info = { name: 'test', version: '1' };
const elicitation = { capabilities: { elicitation: { form: {} } } };

/** A client of each generation and revision, which answers every question so. */
const CLIENTS: Record<
  string,
  (command: { command: string; args: string[]; env: Record<string, string> }, answer: Json) => Promise<AnyClient>
> = {
  'the client of the older packages': async (command, answer) => {
    const client = new OldClient(info, elicitation);
    client.setRequestHandler(ElicitRequestSchema, () => answer);
    await client.connect(new OldTransport({ ...command, stderr: 'ignore' }));
    return client as AnyClient;
  },
  'the client of the newer packages in a session': async (command, answer) => {
    const client = new NewClient(info, elicitation);
    client.setRequestHandler('elicitation/create', () => answer);
    await client.connect(new NewTransport({ ...command, stderr: 'ignore' }));
    return client as AnyClient;
  },
  'the client of the newer packages with the newest revision': async (command, answer) => {
    const client = new NewClient(info, { ...elicitation, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    client.setRequestHandler('elicitation/create', () => answer);
    await client.connect(new NewTransport({ ...command, stderr: 'ignore' }));
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    return client as AnyClient;
  },
  'the client of the newer packages that finds out what is spoken': async (command, answer) => {
    const client = new NewClient(info, { ...elicitation, versionNegotiation: { mode: 'auto' } });
    client.setRequestHandler('elicitation/create', () => answer);
    await client.connect(new NewTransport({ ...command, stderr: 'ignore' }));
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    return client as AnyClient;
  },
};

const env = { PATH: process.env['PATH'] ?? '', HOME: tempDir() };

for (const [what, connect] of Object.entries(CLIENTS)) {
  suite(what, () => {
    test('lists and calls tools, and gets what it approves and nothing else', async () => {
      for (const [answer, runs] of [
        [{ action: 'accept', content: { approve: true } }, true],
        [{ action: 'accept', content: { approve: false } }, false],
        [{ action: 'decline' }, false],
        [{ action: 'cancel' }, false],
      ] as const) {
        const client = await connect({ ...mcpCommand(), env }, answer);
        try {
          const { tools } = await client.listTools();
          assert.ok(tools.some(({ name }) => name === 'approved'));
          const echoed = await client.callTool({ name: 'echo', arguments: { words: ['a b'] } });
          assert.deepEqual(echoed.structuredContent, { command: 'echo -- a b', exit_code: 0, output: '[a b]\n' });
          const gated = await client.callTool({ name: 'approved', arguments: {} });
          assert.deepEqual(
            [gated.isError === true, gated.structuredContent !== undefined],
            [!runs, runs],
            JSON.stringify(gated),
          );
          const wrong = await client.callTool({ name: 'sleep', arguments: {} });
          assert.equal(wrong.isError, true);
          await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /serves no tool/);
        } finally {
          await client.close();
        }
      }
    });

    test('lists and calls the tools of the real nats program', { skip: natsCli() === undefined }, async () => {
      const server = await startNatsServer();
      const application = natsCli() ?? '';
      const command = mcpCommand({ application, yaml: 'harness: {confirm_tags: ["impact:rw"]}' });
      const client = await connect(
        { ...command, env: { ...env, XDG_CONFIG_HOME: env.HOME, NATS_URL: server.url } },
        { action: 'accept', content: { approve: true } },
      );
      try {
        assert.ok((await client.listTools()).tools.length > 200);
        const ran = await client.callTool({ name: 'rtt', arguments: {} });
        assert.equal(ran.structuredContent.exit_code, 0, JSON.stringify(ran));
      } finally {
        await client.close();
        await server.stop();
      }
    });
  });
}

suite('fisk mcp --stdio', () => {
  test('writes nothing but messages to its output, whatever it has to say', async () => {
    const mcp = await startMcpProcess({
      mcp: 'confirm_over_mcp: auto, max_concurrent_tools: 1, tool_timeout: 1s',
      yaml: 'include: {tools: ["."], tags: ["nobody"]}\nharness: {confirm_tags: ["no such tag"]}\nnats_context:',
      args: ['--verbose', '--log-format', 'json'],
    });
    await mcp.raw.initialize();
    mcp.raw.text('not json\n{"jsonrpc":"2.0","id":7}\n');
    mcp.raw.send({ id: 99, result: {} });
    await mcp.raw.call('approved');
    await mcp.raw.call('sleep', { seconds: '9' });
    await mcp.raw.call('sleep', {});
    await assert.rejects(mcp.raw.call('nope'));
    await Promise.all(Array.from({ length: 20 }, () => mcp.raw.call('exit', { code: 1 })));
    mcp.child.stdin?.end();
    const { code } = await mcp.ended;
    assert.equal(code, 0);
    assert.deepEqual(mcp.raw.noise, []);
    for (const message of mcp.raw.messages) assert.equal(message.jsonrpc, '2.0');
    for (const text of [
      'confirm_over_mcp is auto',
      'runs without one',
      'no such tag',
      'matches no tool',
      'is no JSON in UTF-8',
      'tool call failed',
      'tool call refused',
    ]) {
      assert.ok(mcp.stderr().includes(text), `stderr tells: ${text}\n${mcp.stderr()}`);
    }
  });

  test('takes a closed input for the wish to stop: ends what runs, answers it and leaves with 0', async () => {
    const mcp = await startMcpProcess();
    await mcp.raw.initialize();
    const call = mcp.raw.call('sleep', { seconds: '60' });
    const [pid = 0] = await waitFor(() => {
      const found = childrenOf(mcp.pid);
      return found.length > 0 && found;
    });
    mcp.child.stdin?.end();
    const result = await call;
    assert.equal(result._meta['fisk/code'], 'interrupted');
    assert.equal(pidIn(result.content[0].text), pid);
    assert.deepEqual([(await mcp.ended).code, isAlive(pid)], [0, false]);
  });

  test('leaves no command when the client is killed in the middle of a call', async () => {
    const { command, args } = mcpCommand();
    // The client is a shell that holds the pipes; killed, it takes its ends of them with it.
    const client = tempFile(
      'client.mjs',
      `import { spawn } from 'node:child_process';
const child = spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: ['pipe', 'pipe', 'ignore'] });
const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } } });
child.stdout.once('data', () => {
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'sleep', arguments: { seconds: '60' } } });
  console.log(child.pid);
});
`,
    );
    const running = await start(process.execPath, [client]);
    const server = Number((await running.printed(/^(\d+)\n/))[1]);
    const [pid = 0] = await waitFor(() => {
      const found = childrenOf(server);
      return found.length > 0 && found;
    });
    running.kill('SIGKILL');
    await waitGone(server, 10_000);
    assert.equal(isAlive(pid), false);
  });

  test('leaves no process that a command has moved out of its group, also one that will not be asked', async () => {
    const application = tempScript(
      `#!/bin/sh
if [ "$1" = --fisk-introspect ]; then
  echo '{"name":"x","commands":[{"name":"leave","help":"h","schema":{},"restricted_schema":{}}]}'
else
  setsid sh -c 'trap "" TERM; echo "left $$"; while :; do sleep 0.1; done' &
  wait
fi
`,
      'app',
    );
    const mcp = await startMcpProcess({ application });
    await mcp.raw.initialize();
    const call = mcp.raw.call('leave');
    await waitFor(() => childrenOf(mcp.pid).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    mcp.child.stdin?.end();
    const pid = Number(/left (\d+)/.exec((await call).content[0].text)?.[1]);
    assert.ok(pid > 0 && isAlive(pid), 'it is still there when the group is gone');
    assert.equal((await mcp.ended).code, 0);
    await waitGone(pid, 1_000);
  });

  test('ends what runs and answers it on the first signal, and leaves with 0', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const mcp = await startMcpProcess();
      await mcp.raw.initialize();
      const call = mcp.raw.call('sleep', { seconds: '60' });
      await waitFor(() => childrenOf(mcp.pid).length > 0);
      mcp.child.kill(signal);
      assert.equal((await call)._meta['fisk/code'], 'interrupted');
      const { code } = await mcp.ended;
      assert.equal(code, 0, mcp.stderr());
      assert.match(mcp.stderr(), /draining: taking no more calls; 1 call is ended and answered first/);
    }
  });

  test('leaves at once on the third signal, with nothing left behind', async () => {
    const mcp = await startMcpProcess();
    await mcp.raw.initialize();
    void mcp.raw.call('stubborn').catch(() => {});
    const [pid = 0] = await waitFor(() => {
      const found = childrenOf(mcp.pid);
      return found.length > 0 && found;
    });
    for (let nth = 1; nth <= 3; nth++) {
      mcp.child.kill('SIGTERM');
      await new Promise((resolve) => setTimeout(resolve, 350));
    }
    const { code } = await mcp.ended;
    // The group may be gone, and with it everything to wait for, before the third one comes.
    assert.ok(code === 143 || code === 0, String(code));
    await waitGone(pid);
  });

  test('holds no more of a message without an end than a message may be', async () => {
    const mcp = await startMcpProcess();
    await mcp.raw.initialize();
    const chunk = Buffer.alloc(1_048_576, 'x');
    for (let sent = 0; sent < 200; sent++) {
      if (!mcp.child.stdin?.write(chunk)) await new Promise((resolve) => mcp.child.stdin?.once('drain', resolve));
    }
    mcp.raw.text('\n');
    assert.equal((await mcp.raw.call('echo', { words: ['x'] })).structuredContent.output, '[x]\n');
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${mcp.pid}/status`, 'utf8'))?.[1]) / 1_024;
    assert.ok(peak < 220, `${Math.round(peak)} MiB at its most`);
    mcp.child.stdin?.end();
    assert.equal((await mcp.ended).code, 0);
  });

  test('does not stop for a client that does not read, and leaves when told to', async () => {
    const mcp = await startMcpProcess();
    await mcp.raw.initialize();
    mcp.child.stdout?.pause();
    for (let at = 0; at < 5_000; at++) mcp.raw.send({ id: at, method: 'tools/list' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    mcp.child.kill('SIGTERM');
    await waitGone(mcp.pid, 10_000);
    mcp.child.stdout?.resume();
    assert.equal((await mcp.ended).code, 0, mcp.stderr());
  });

  test('says what is wrong with the file, on stderr alone', async () => {
    const config = (text: string) => tempFile('agent.yaml', text);
    for (const [text, pattern] of [
      ['identity: lab\n', /no block expose\.agent\.mcp.*expose:\n {4} {2}agent:/s],
      ['expose: {agent: {mcp: {}}}\n', /application_path is not set/],
      ['expose: {agent: {mcp: {}}}\nharness: {knowledge: {enabled: true}}\nexpos: 1\n', /expos/],
    ] as const) {
      const { code, stdout, stderr } = await fisk(['mcp', '--stdio', '--config', config(text)]);
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, pattern);
    }
  });

  test('that finds its input at its end when it starts leaves again with 0', async () => {
    const { code, stdout, stderr } = await fisk(mcpCommand().args.slice(1));
    assert.deepEqual([code, stdout], [0, ''], stderr);
    assert.match(stderr, /the client is gone/);
  });

  test('tells its numbers and its health, and misses no connection that it never has', async () => {
    const mcp = await startMcpProcess({ args: ['--metrics-address', '0', '--log-format', 'json'] });
    const [, address] = await mcp.told(/"address":"([^"]+)"/);
    await mcp.raw.initialize();
    await mcp.raw.call('echo', { words: ['x'] });
    await mcp.raw.call('approved');
    const get = async (path: string) => (await fetch(`http://${address}${path}`)).text();
    const metrics = await get('/metrics');
    assert.match(metrics, /fisk_call_duration_seconds_count\{surface="mcp",kind="application",outcome="ok"\} 1/);
    assert.match(metrics, /fisk_refusals_total\{surface="mcp",code="approval_impossible"\} 1/);
    assert.match(metrics, /fisk_tool_calls_total\{tool="echo",outcome="ok"\} 1/);
    assert.doesNotMatch(metrics, /^fisk_connected/m);
    assert.deepEqual(JSON.parse(await get('/readyz')).ready, true);
    assert.doesNotMatch(await get('/'), /not connected/);
    mcp.child.stdin?.end();
    assert.equal((await mcp.ended).code, 0);
  });
});
