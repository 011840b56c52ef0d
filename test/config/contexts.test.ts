import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { contextNames, loadNatsContext } from '../../src/config/index.ts';
import { NatsContextError } from '../../src/errors.ts';
import { tempDir, tempFile, tempScript } from '../support/tmp.ts';

interface Place {
  env: NodeJS.ProcessEnv;
  dir: string;
  save(fields: unknown, name?: string): void;
}

function place(): Place {
  const dir = tempDir();
  const env = { XDG_CONFIG_HOME: dir, HOME: join(dir, 'home'), PATH: join(dir, 'bin') };
  const save = (fields: unknown, name = 'ctx') => {
    tempFile(`nats/context/${name}.json`, typeof fields === 'string' ? fields : JSON.stringify(fields), dir);
  };
  return { env, dir, save };
}

const refusal = (text: RegExp) => (error: unknown) => error instanceof NatsContextError && text.test(error.message);

test('servers, token, TLS files and prefixes are taken from the context, and unknown fields passed over', async () => {
  const { env, dir, save } = place();
  for (const name of ['c.pem', 'ca.pem', 'home/k.pem']) tempFile(name, '', dir);
  save({
    url: 'nats://a:4222, nats://b:4222,',
    token: 't',
    cert: '$DIR/c.pem',
    key: '~/k.pem',
    ca: `\${DIR}/ca.pem`,
    tls_first: true,
    inbox_prefix: '_IN',
    jetstream_domain: 'hub',
    jetstream_api_prefix: 'JS',
    description: 'x',
    color_scheme: 'y',
    unheard_of: [1],
  });
  assert.deepEqual(await loadNatsContext('ctx', { ...env, DIR: dir }), {
    name: 'ctx',
    servers: ['nats://a:4222', 'nats://b:4222'],
    token: 't',
    tls: { certFile: `${dir}/c.pem`, keyFile: `${env.HOME}/k.pem`, caFile: `${dir}/ca.pem` },
    tlsFirst: true,
    inboxPrefix: '_IN',
    jetstreamDomain: 'hub',
    jetstreamApiPrefix: 'JS',
  });
});

test('of several credentials the first in their order is used, with its contents', async () => {
  const { env, dir, save } = place();
  const all = {
    user: 'u',
    password: 'p',
    creds: tempFile('a.creds', 'CREDS', dir),
    nkey: tempFile('a.nk', 'SUSEED\n', dir),
    user_jwt: 'JWT',
    user_seed: 'SEED',
    token: 't',
  };
  const expected: [string[], object][] = [
    [[], { user: 'u', password: 'p' }],
    [['user'], { creds: 'CREDS' }],
    [['user', 'creds'], { nkeySeed: 'SUSEED' }],
    [['user', 'creds', 'nkey'], { jwt: 'JWT', userSeed: 'SEED' }],
    [['user', 'creds', 'nkey', 'user_seed'], { jwt: 'JWT' }],
    [['user', 'creds', 'nkey', 'user_jwt'], {}],
  ];
  for (const [without, wanted] of expected) {
    save(Object.fromEntries(Object.entries(all).filter(([name]) => !without.includes(name))));
    assert.deepEqual(await loadNatsContext('ctx', env), { name: 'ctx', servers: [], token: 't', ...wanted });
  }
});

test('paths of credentials may hold variables and begin at home', async () => {
  const { env, dir, save } = place();
  tempFile('a.creds', 'CREDS', String(env['HOME']));
  tempFile('a.nk', 'SEED', dir);
  save({ creds: '~/a.creds' });
  assert.equal((await loadNatsContext('ctx', env)).creds, 'CREDS');
  save({ nkey: `\${WHERE}/a.nk` });
  assert.equal((await loadNatsContext('ctx', { ...env, WHERE: dir })).nkeySeed, 'SEED');
});

test('contexts are found below the home directory when nothing else is set', async () => {
  const { env, save } = place();
  tempFile('.config/nats/context/home.json', '{"url": "nats://home"}', String(env['HOME']));
  save({}, 'ctx');
  const { servers } = await loadNatsContext('home', { HOME: env['HOME'] });
  assert.deepEqual(servers, ['nats://home']);
  await assert.rejects(loadNatsContext('ctx', { HOME: env['HOME'] }), refusal(/unknown/));
});

test('a name that is empty, unknown or leads elsewhere is refused and named', async () => {
  const { env, dir, save } = place();
  save({}, 'ctx');
  tempFile('nats/outside.json', '{}', dir);
  await assert.rejects(loadNatsContext('', env), refusal(/needs a name: set nats_context/));
  await assert.rejects(loadNatsContext('other', env), refusal(/"other": it is unknown: ENOENT/));
  for (const name of ['../outside', 'a/b', 'a\\b', '..', 'a\0']) {
    await assert.rejects(loadNatsContext(name, env), refusal(/must not hold/), name);
  }
});

test('a context that is broken, or asks for what is not there, is refused with its name', async () => {
  const { env, dir, save } = place();
  const cases: [unknown, RegExp][] = [
    ['{', /ctx.json is not valid JSON/],
    ['[]', /must hold a JSON object/],
    [{ url: 5 }, /its field url must be text/],
    [{ socks_proxy: 'socks5://x' }, /socks_proxy, which is not supported/],
    [{ creds: `${dir}/none.creds` }, /its credentials cannot be read: ENOENT.*none.creds/],
    [{ nkey: `${dir}/none.nk` }, /its nkey cannot be read/],
    [{ cert: 'a' }, /needs both cert and key/],
    [{ ca: `${dir}/none.pem` }, /its ca cannot be read: ENOENT.*none.pem/],
    [{ creds: 'op://vault/item' }, /needs the program op, which is not on PATH/],
    [{ nsc: 'o/a/u' }, /needs the program nsc/],
  ];
  for (const [fields, text] of cases) {
    save(fields);
    await assert.rejects(
      loadNatsContext('ctx', env),
      (error) => refusal(text)(error) && (error as Error).message.includes('the NATS context "ctx"'),
      JSON.stringify(fields),
    );
  }
});

test('a secret of 1Password is read by the argument vector of op, not through a shell', async () => {
  const { env, dir, save } = place();
  tempScript('#!/bin/sh\nprintf "%s;" "$#" "$@"\n', 'op', join(dir, 'bin'));
  save({ creds: 'op://vault/my item; $(id)/field' });
  const { creds } = await loadNatsContext('ctx', env);
  assert.equal(creds, '2;read;op://vault/my item; $(id)/field;');
});

test('a failing helper is told with what it said on stderr and never with its output', async () => {
  const { env, dir, save } = place();
  tempScript('#!/bin/sh\necho SECRET\necho "not signed in" >&2\nexit 3\n', 'op', join(dir, 'bin'));
  save({ creds: 'op://a/b' });
  await assert.rejects(
    loadNatsContext('ctx', env),
    (error) =>
      refusal(/op ended with exit code 3: not signed in/)(error) && !(error as Error).message.includes('SECRET'),
  );
});

test('nsc gives credentials and servers, from its own field or from creds', async () => {
  const { env, dir, save } = place();
  const file = tempFile('user.creds', 'NSC-CREDS', dir);
  tempScript(
    `#!/bin/sh
[ "$1 $2 $3" = "generate profile nsc://op/acc/user" ] || exit 9
echo '{"user_creds": "${file}", "operator": {"service": ["nats://n1", "nats://n2"]}}'
`,
    'nsc',
    join(dir, 'bin'),
  );
  save({ nsc: 'op/acc/user', url: 'nats://ignored', creds: '/nowhere' });
  assert.deepEqual(await loadNatsContext('ctx', env), {
    name: 'ctx',
    servers: ['nats://n1', 'nats://n2'],
    creds: 'NSC-CREDS',
  });
  save({ creds: 'nsc://op/acc/user', url: 'nats://own' });
  assert.deepEqual(await loadNatsContext('ctx', env), { name: 'ctx', servers: ['nats://own'], creds: 'NSC-CREDS' });
  tempScript('#!/bin/sh\necho not json\n', 'nsc', join(dir, 'bin'));
  await assert.rejects(loadNatsContext('ctx', env), refusal(/nsc printed something that is not JSON/));
});

test('a broken context says how to correct it, an unknown one what there is instead', async () => {
  const { env, dir, save } = place();
  save({ socks_proxy: 'socks5://x' }, 'broken');
  save('{', 'torn');
  save({ creds: `${dir}/none.creds` }, 'bare');
  save({}, 'local');
  for (const [name, remedy] of [
    ['broken', 'Correct it with: nats context edit broken'],
    ['torn', 'Correct it with: nats context edit torn'],
    ['bare', 'Correct it with: nats context edit bare'],
    ['locla', 'Did you mean local?'],
    ['elsewhere', 'List the contexts with: nats context ls'],
  ] as const) {
    await assert.rejects(loadNatsContext(name, env), { code: 'FISK_NATS_CONTEXT', remedy });
  }
  assert.deepEqual(await contextNames(env), ['bare', 'broken', 'local', 'torn']);
  assert.deepEqual(await contextNames({ XDG_CONFIG_HOME: tempDir() }), []);
});

test('what is no file of a sensible size is refused and not read', async () => {
  const { env, save } = place();
  for (const [creds, reason] of [
    ['/dev/zero', /it is no regular file/],
    [tempFile('large', Buffer.alloc(1024 * 1024 + 1)), /it holds more than 1 MiB/],
  ] as const) {
    save({ creds });
    await assert.rejects(loadNatsContext('ctx', env), refusal(reason));
  }
});
