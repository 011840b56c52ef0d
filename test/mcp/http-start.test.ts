import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { pino } from 'pino';
import { type McpHttpOptions, startMcpHttp, tokenFrom } from '../../src/mcp/http/index.ts';
import { served, smallService } from '../support/mcp-service.ts';

const TOKEN = 'sixteen-or-more-characters';

const start = (options: Partial<McpHttpOptions>) =>
  startMcpHttp({
    service: smallService().service,
    address: '127.0.0.1',
    port: 0,
    allowedOrigins: [],
    allowedHosts: [],
    log: pino({ level: 'silent' }),
    ...options,
  });

test('the URL is one that a client of this machine can use, whatever is listened on', async (t) => {
  const six = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
  const cases = [
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['0.0.0.0', 'localhost'],
    ...(six
      ? [
          ['::1', '[::1]'],
          ['[::1]', '[::1]'],
          ['::', 'localhost'],
        ]
      : []),
  ] as [string, string][];
  for (const [address, host] of cases) {
    const { http } = await served(t, { address, token: TOKEN });
    assert.equal(http.url, `http://${host}:${http.port}/`);
    assert.equal((await fetch(`${http.url}healthz`)).status, 200, address);
  }
});

test('an address that cannot be used is one error that says why', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  for (const [options, why] of [
    [{ port }, new RegExp(`127\\.0\\.0\\.1:${port}: the address is in use`)],
    [{ address: '192.0.2.1', token: TOKEN }, /192\.0\.2\.1:0: this machine has no such address/],
    [{ address: 'no-such-host.invalid' }, /no-such-host\.invalid:0: the host name/],
    [{ port: 65_536 }, /127\.0\.0\.1:65536: a port is a number from 1 to 65535/],
    [{ port: -1 }, /a port is a number from 1 to 65535/],
  ] as const)
    await assert.rejects(start(options), { code: 'FISK_MCP_ADDRESS', message: why });
});

test('nothing is served beyond loopback without a token, and the error names the key', async () => {
  for (const address of ['0.0.0.0', '::', '192.0.2.1', '::ffff:192.0.2.1'])
    await assert.rejects(start({ address }), { code: 'FISK_MCP_TOKEN', message: /expose\.agent\.mcp\.token_env/ });
});

test('a token is at least sixteen characters that a header can carry', async () => {
  for (const token of ['', 'fifteen-letters', 'with a blank in the middle', 'with-a-line-break\n', 'mit-Umlauten-äöüß'])
    await assert.rejects(start({ token }), { code: 'FISK_MCP_TOKEN' });
  const http = await start({ token: 'x'.repeat(16) });
  await http.close();
});

test('the token is what the variable holds that the file names', () => {
  assert.equal(tokenFrom(undefined, { MCP_TOKEN: TOKEN }), undefined);
  assert.equal(tokenFrom('MCP_TOKEN', { MCP_TOKEN: TOKEN }), TOKEN);
  const missing = {
    code: 'FISK_MCP_TOKEN',
    message: /expose\.agent\.mcp\.token_env names MCP_TOKEN, which is not set/,
  };
  assert.throws(() => tokenFrom('MCP_TOKEN', {}), missing);
  assert.throws(() => tokenFrom('MCP_TOKEN', { MCP_TOKEN: '' }), missing);
  const short = { code: 'FISK_MCP_TOKEN', message: /MCP_TOKEN is shorter than the 16/ };
  assert.throws(() => tokenFrom('MCP_TOKEN', { MCP_TOKEN: 'secret' }), short);
});

test('an allowed host or origin that could match nothing ends the start instead of locking its users out', async () => {
  for (const entry of ['*', '*.example.com', 'https://mcp.example.com', 'a b', ''])
    await assert.rejects(start({ allowedHosts: [entry] }), { code: 'FISK_MCP_ALLOWED', message: /allowed_hosts/ });
  for (const entry of ['*', 'null', 'app.example.com', 'https://app.example.com/path', 'https://*.example.com'])
    await assert.rejects(start({ allowedOrigins: [entry] }), { code: 'FISK_MCP_ALLOWED', message: /allowed_origins/ });
});
