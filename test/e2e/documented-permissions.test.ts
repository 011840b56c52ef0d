import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connect } from '@nats-io/transport-node';
import { fisk, startFisk } from '../support/fisk.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { projectDir } from '../support/source.ts';
import { fixture, tempDir, tempFile } from '../support/tmp.ts';
import { waitFor, waitGone } from '../support/wait.ts';

const page = readFileSync(join(projectDir, 'docs/operations.md'), 'utf8');

/** The first block of the page that begins so. */
function block(beginning: string): string {
  const at = page.indexOf(`\n${beginning}`);
  assert.ok(at >= 0, `the page shows ${beginning}`);
  return page.slice(at + 1, page.indexOf('\n```', at + 1));
}

/** What an operator makes of the page: the server, and a folder with a context for each of the three users. */
async function asDocumented(t: TestContext, version: ReturnType<typeof natsServerVersions>[number]) {
  const passwords = /\$(?:LAB|OPS|WATCH)_PASSWORD/g;
  const nats = await startNatsServer({ version, config: block('accounts {').replace(passwords, 'secret') });
  t.after(() => nats.stop());
  const home = tempDir();
  const context = JSON.parse(block('{ "url"')) as Record<string, string>;
  for (const user of ['lab', 'ops', 'watch']) {
    const own = { ...context, url: nats.url, user, inbox_prefix: `_INBOX.${user}` };
    tempFile(`nats/context/${user}.json`, JSON.stringify(own), home);
  }
  assert.equal(context['inbox_prefix'], `_INBOX.${context['user']}`);
  const env = { ...process.env, XDG_CONFIG_HOME: home };
  const serve = async (identity: string) => {
    const text = `identity: ${identity}\napplication_path: ${fixture('lab.sh')}\nnats_context: lab\nexpose: { agent: { a2a: { serve_tools: true } } }\n`;
    const daemon = await startFisk(['serve', '--config', tempFile('agent.yaml', text)], { env });
    t.after(() => daemon.stop('SIGKILL'));
    return daemon;
  };
  const as = (user: string, command: string, ...args: string[]) => fisk([command, '--context', user, ...args], { env });
  return { nats, env, serve, as };
}

for (const version of natsServerVersions()) {
  test(`on ${version}: with the permissions that the page shows everybody can do what is theirs`, async (t) => {
    const { nats, env, serve, as } = await asDocumented(t, version);
    const daemon = await serve('lab');
    await daemon.printed(/Exposed:/);
    assert.equal((await as('ops', 'call', 'lab', 'echo', 'words:=["a b"]')).stdout, '[a b]\n');
    for (const user of ['ops', 'watch']) {
      assert.match((await as(user, 'discover', 'lab')).stdout, /echo/, user);
      assert.match((await as(user, 'discover')).stdout, /lab/, user);
    }
    // A call that ends while the server is away is answered when both are back.
    const calling = await startFisk(['call', '--context', 'ops', 'lab', 'sleep', 'seconds=2'], { env });
    await daemon.printed(/"msg":"tool call running"[^\n]*"tool":"sleep"/);
    await nats.stop();
    await daemon.printed(/"msg":"tool call completed"[^\n]*"tool":"sleep"/);
    await nats.restart();
    const { code, stdout, stderr } = await calling.ended;
    assert.deepEqual([code, stdout.endsWith('slept\n')], [0, true], stderr);
    await daemon.printed(/sending the final replies that waited/);
    assert.doesNotMatch(daemon.stderr(), /refused by NATS/);
    assert.equal((await daemon.stop()).code, 0);
  });

  test(`on ${version}: with the permissions that the page shows nobody can do more`, async (t) => {
    const { nats, serve, as } = await asDocumented(t, version);
    await (await serve('lab')).printed(/Exposed:/);
    for (const [user, agent] of [
      ['watch', 'lab'],
      ['ops', 'other'],
    ] as const) {
      const { code, stderr } = await as(user, 'call', agent, 'echo');
      assert.deepEqual([code, /\[FISK_NATS_NOT_PERMITTED\]/.test(stderr)], [1, true], stderr);
    }
    const greedy = await serve('other');
    await waitGone(greedy.pid, 20_000);
    const { code, stderr } = await greedy.ended;
    assert.deepEqual([code, /\[FISK_SERVICE_STOPPED\]/.test(stderr)], [1, true], stderr);
    assert.match(stderr, /choria\.fisk-ai\.\w+\.other/);
    await assert.rejects(connect({ servers: nats.url, maxReconnectAttempts: 0 }), /authorization/i);

    for (const [user, subscribe, publish] of [
      ['lab', ['_INBOX.ops.>', 'choria.fisk-ai.tool.*', '>'], ['choria.fisk-ai.tool.lab', '_INBOX.watch.x', 'any']],
      [
        'ops',
        ['_INBOX.lab.>', 'choria.fisk-ai.tool.lab', '>'],
        ['choria.fisk-ai.tool.other', '_INBOX.ops.x', '$SRV.PING'],
      ],
      ['watch', ['_INBOX.ops.>', '>'], ['choria.fisk-ai.tool.lab', '_INBOX.ops.x', 'any']],
    ] as const) {
      const nc = await connect({ servers: nats.url, user, pass: 'secret' });
      t.after(() => nc.close());
      const refused: string[] = [];
      void (async () => {
        for await (const status of nc.status()) if (status.type === 'error') refused.push(status.error.message);
      })();
      for (const subject of subscribe) nc.subscribe(subject, { callback: () => {} });
      for (const subject of publish) nc.publish(subject);
      for (const subject of [...subscribe, ...publish])
        await waitFor(() => refused.some((text) => text.includes(`"${subject}"`)), {
          what: () => `${user} to be refused ${subject}: ${refused.join('\n')}`,
        });
    }
  });
}
