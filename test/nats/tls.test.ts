import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from '../../src/nats/index.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { run } from '../support/run.ts';
import { tempDir, tempFile } from '../support/tmp.ts';

/** An authority, and a server and a client certificate signed by it. */
async function certificates() {
  const dir = tempDir();
  const at = (name: string) => join(dir, name);
  const openssl = async (...args: string[]) => {
    const ended = await run('openssl', args, { cwd: dir });
    assert.equal(ended.code, 0, ended.stderr);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=test authority',
  );
  const names = tempFile('names', 'subjectAltName=IP:127.0.0.1,DNS:localhost\n', dir);
  for (const name of ['server', 'client']) {
    await openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', names];
    await openssl('x509', '-req', '-in', `${name}.csr`, ...by, '-out', `${name}.pem`);
  }
  return {
    ca: at('ca.pem'),
    server: [at('server.pem'), at('server.key')],
    client: [at('client.pem'), at('client.key')],
  };
}

test('certificate files of a context are used, with the handshake after or before the greeting', async (t) => {
  const { ca, server: own, client } = await certificates();
  const tls = (more = '') =>
    `tls { cert_file: "${own[0]}", key_file: "${own[1]}", ca_file: "${ca}", verify: true${more} }`;
  const server = await startNatsServer({ version: 'current', config: tls() });
  t.after(() => server.stop());
  const files = { certFile: String(client[0]), keyFile: String(client[1]), caFile: ca };
  const context = { name: 'secure', servers: [server.url], tls: files };

  const connection = await connect({ context, name: 'test' });
  await connection.flush();
  await connection.close();

  await assert.rejects(connect({ context: { ...context, tls: { caFile: ca } }, name: 'test' }), {
    code: 'FISK_NATS_CONNECT',
    message: /client certificate/,
  });
  await assert.rejects(connect({ servers: [server.url], name: 'test' }), { code: 'FISK_NATS_CONNECT' });
  const missing = { ...context, tls: { ...files, caFile: '/nowhere/ca.pem' } };
  await assert.rejects(connect({ context: missing, name: 'test' }), /nowhere\/ca\.pem/);

  await server.restart(tls(', handshake_first: true'));
  const early = await connect({ context: { ...context, tlsFirst: true }, name: 'test' });
  await early.flush();
  await early.close();
});
