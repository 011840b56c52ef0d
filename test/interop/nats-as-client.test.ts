import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { depot } from '../support/fisk.ts';
import { nats, natsCli } from '../support/nats-cli.ts';
import { natsServerVersions, startNatsServer } from '../support/nats-server.ts';
import { tempDir } from '../support/tmp.ts';
import { wireCall, wireHeader } from '../support/wire-caller.ts';
import { serveFisk } from './support/serving.ts';

const skip = natsCli() === undefined ? 'not run: no nats CLI here' : false;
const DISCOVERY = 'choria.fisk-ai.discovery.depot';
const TOOL = 'choria.fisk-ai.tool.depot';
const NAME = /^[a-zA-Z0-9_-]+$/;

interface Endpoint {
  name: string;
  subject: string;
  queue_group: string;
  metadata: Record<string, string>;
  num_requests: number;
  num_errors: number;
  last_error: string;
  processing_time: number;
}

for (const version of natsServerVersions()) {
  describe(`the nats program as a client, server ${version}`, { skip }, () => {
    test('it lists, describes, counts and calls the service', async () => {
      const server = await startNatsServer({ version });
      const env = { DEPOT_STORE: `${tempDir()}/parts.json` };
      const daemon = await serveFisk(server.url, { identity: 'depot', application: depot, env });
      const ask = async (...args: string[]) => {
        const ended = await nats(server.url, ...args);
        assert.equal(ended.code, 0, `nats ${args.join(' ')}\n${ended.stderr}`);
        return ended;
      };

      const listed = await ask('micro', 'ls');
      assert.match(listed.stdout, /│ depot +│ 0\.0\.0 +│ [\w]+ +│ fisk-ai a2a tool server +│/);
      assert.match((await ask('micro', 'ping')).stdout, /^depot /m);

      const { info } = JSON.parse((await ask('micro', 'info', 'depot', '--json')).stdout);
      assert.equal(info.version, '0.0.0');
      assert.equal(info.metadata.protocol, 'io.choria.fisk-ai.v1');
      assert.deepEqual(
        info.endpoints.map(({ name, subject, queue_group }: Endpoint) => [name, subject, queue_group]),
        [
          ['discovery', DISCOVERY, 'depot'],
          ['tool', TOOL, 'depot'],
        ],
      );
      for (const { name, metadata } of info.endpoints as Endpoint[]) {
        assert.match(name, NAME);
        assert.equal(typeof metadata['implementation'], 'string');
      }

      const card = await ask('req', DISCOVERY, JSON.stringify(wireHeader('discovery.request', 'depot')), '--raw');
      const { tools } = JSON.parse(card.stdout);
      assert.deepEqual(
        tools.map(({ name }: { name: string }) => name),
        ['part_add', 'part_ls', 'part_show', 'part_rm', 'stock_move', 'stock_check', 'stock_report'],
      );

      const called = await ask(
        'req',
        TOOL,
        wireCall('depot', 'part_add', { name: 'bolt' }),
        '--replies=2',
        '--reply-timeout=5s',
      );
      assert.match(called.stderr, /Fisk-AI-Stream-Final: true/);
      const [ack, reply] = called.stdout
        .trim()
        .split(/\n+/)
        .map((line) => JSON.parse(line));
      assert.deepEqual([ack.protocol, ack.accepted, ack.sequence], ['io.choria.fisk-ai.v1.ack', true, 1]);
      assert.deepEqual([reply.protocol, reply.sequence], ['io.choria.fisk-ai.v1.tool.reply', 2]);
      assert.equal(reply.output, 'bolt: 1 added on A1, 1 in all\n');
      assert.deepEqual(reply.exec, { command: 'part add -- bolt' });

      const refused = await ask('req', TOOL, 'no JSON at all');
      assert.match(refused.stderr, /Nats-Service-Error-Code: 400/);
      assert.match(refused.stderr, /Nats-Service-Error: \S/);

      const stats = JSON.parse((await ask('micro', 'stats', 'depot', '--json')).stdout);
      const [discovery, tool] = stats[0].endpoints as Endpoint[];
      assert.deepEqual([discovery?.num_requests, discovery?.num_errors], [1, 0]);
      assert.deepEqual([tool?.num_requests, tool?.num_errors], [2, 1]);
      assert.match(tool?.last_error ?? '', /^400:/);
      assert.ok((tool?.processing_time ?? 0) > 0 && Number.isInteger(tool?.processing_time));

      const ended = await daemon.stop();
      assert.equal(ended.code, 0);
      await server.stop();
    });
  });
}
