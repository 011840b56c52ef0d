import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { callTool, connect, discover, listAgents } from '../../src/nats/index.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { projectDir } from '../support/source.ts';
import { startWorker } from './worker.ts';

/** The server configuration that the protocol page shows, with passwords put in. */
function documented(): string {
  const page = readFileSync(join(projectDir, 'docs/protocol.md'), 'utf8');
  const block = /^```text\n(authorization \{[\s\S]*?)^```/m.exec(page)?.[1];
  assert.ok(block !== undefined, 'the page shows a server configuration');
  return block.replace('$LAB_PASSWORD', 'labpw').replace('$OPS_PASSWORD', 'opspw');
}

for (const version of natsServerVersions()) {
  test(`on ${version}: the permissions that the protocol page shows are enough, and no more`, async (t) => {
    const server = await startNatsServer({ version, config: documented() });
    t.after(() => server.stop());
    const worker = await startWorker(server.url.replace('://', '://lab:labpw@'), 'lab', (set) => {
      set.ack(true);
      set.status('running-tool');
      set.reply({ output: 'done' });
    });
    t.after(() => worker.close());
    await worker.service.ready();
    const context = { name: 'ops', servers: [server.url], user: 'ops', password: 'opspw' };
    const ops = await connect({ context: { ...context, inboxPrefix: '_INBOX.ops' }, name: 'ops' });
    t.after(() => ops.close());
    assert.equal((await discover(ops, 'lab', { sender: 'ops', timeoutMs: 2_000 })).card.name, 'lab');
    assert.deepEqual(
      (await listAgents(ops)).map((agent) => agent.identity),
      ['lab'],
    );
    const call = { tool: 'x', sender: 'ops', idleTimeoutMs: 5_000 };
    assert.equal((await callTool(ops, { ...call, identity: 'lab' })).output, 'done');
    await assert.rejects(callTool(ops, { ...call, identity: 'other' }), { code: 'FISK_NATS_NOT_PERMITTED' });
    const curious = await connect({ context: { ...context, inboxPrefix: '_INBOX.lab' }, name: 'curious' });
    t.after(() => curious.close());
    await assert.rejects(callTool(curious, { ...call, identity: 'lab' }), { code: 'FISK_NATS_NOT_PERMITTED' });
    const greedy = await startWorker(server.url.replace('://', '://lab:labpw@'), 'other');
    t.after(() => greedy.close());
    await assert.rejects(greedy.service.ready(), { code: 'FISK_SERVICE_STOPPED' });
  });
}
