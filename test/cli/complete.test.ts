import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { complete, type Lookup } from '../../src/cli/complete.ts';
import { completionScript } from '../../src/cli/completion-scripts.ts';
import { main } from '../../src/cli/index.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { tempDir } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireWorker } from '../support/wire-caller.ts';
import { memoryTerminal } from './memory-terminal.ts';

const asked: string[] = [];
const lookup: Lookup = {
  agents: async (flags) => {
    asked.push(`agents ${flags.get('context') ?? ''}`);
    return ['depot', 'derrick', 'lab'];
  },
  tools: async (agent) => [`${agent}_add`, `${agent}_ls`],
  properties: async (agent, tool) =>
    new Map([
      [`${agent}-${tool}`, []],
      ['name', []],
      ['grade', ['alpha', 'beta']],
    ]),
  contexts: async () => ['local', 'lab'],
};

function candidates(...words: string[]): Promise<string[]> {
  return complete(
    buildProgram(memoryTerminal(), async () => {}),
    words,
    lookup,
  );
}

test('the first word is a command', async () => {
  assert.deepEqual(await candidates(''), ['serve', 'mcp', 'discover', 'call', 'info', 'completion', 'help']);
  assert.deepEqual(await candidates('c'), ['call', 'completion']);
});

test('a word that begins with a dash is a flag of the command', async () => {
  assert.deepEqual(await candidates('discover', '--'), [
    '--config',
    '--context',
    '--server',
    '--json',
    '--version',
    '--help',
  ]);
  assert.deepEqual(await candidates('serve', '--wo'), ['--work-dir', '--workers']);
  assert.deepEqual(await candidates('--v'), ['--version']);
});

test('choices of a flag and of an argument are offered', async () => {
  assert.deepEqual(await candidates('serve', '--log-format', ''), ['json', 'text']);
  assert.deepEqual(await candidates('completion', 'f'), ['fish']);
});

test('agents are looked up where the flags before the cursor point', async () => {
  asked.length = 0;
  assert.deepEqual(await candidates('discover', '--context', 'local', 'de'), ['depot', 'derrick']);
  assert.deepEqual(await candidates('call', '--context=other', 'l'), ['lab']);
  assert.deepEqual(asked, ['agents local', 'agents other']);
});

test('the tools of the agent and the arguments of the tool follow', async () => {
  assert.deepEqual(await candidates('call', 'depot', ''), ['depot_add', 'depot_ls']);
  assert.deepEqual(await candidates('discover', 'depot', ''), ['depot_add', 'depot_ls']);
  assert.deepEqual(await candidates('call', 'depot', 'depot_add', ''), ['depot-depot_add=', 'name=', 'grade=']);
  assert.deepEqual(await candidates('call', '--json', 'depot', 'depot_add', 'name=x', 'na'), ['name=']);
});

test('the values of an argument are offered where they can be listed', async () => {
  assert.deepEqual(await candidates('call', 'depot', 'add', 'grade='), ['grade=alpha', 'grade=beta']);
  assert.deepEqual(await candidates('call', 'depot', 'add', 'name=a:b', 'grade=b'), ['grade=beta']);
});

test('contexts are offered, also in the same word as the flag', async () => {
  assert.deepEqual(await candidates('discover', '--context', ''), ['local', 'lab']);
  assert.deepEqual(await candidates('call', '--context=lo'), ['--context=local']);
  assert.deepEqual(await candidates('serve', '--log-format=t'), ['--log-format=text']);
  assert.deepEqual(await candidates('serve', '--check='), []);
});

test('nothing is offered where nothing fits', async () => {
  assert.deepEqual(await candidates('discover', 'depot', 'depot_ls', ''), []);
  assert.deepEqual(await candidates('call', 'depot', 'add', 'name=b'), []);
  assert.deepEqual(await candidates('call', 'depot', '--timeout', ''), []);
  assert.deepEqual(await candidates('info', ''), []);
});

test('a file is completed from its directory, a directory only by directories', async () => {
  const dir = tempDir();
  mkdirSync(join(dir, 'sub'));
  writeFileSync(join(dir, 'agent.yaml'), '');
  assert.deepEqual(await candidates('serve', '--config', `${dir}/`), [`${dir}/agent.yaml`, `${dir}/sub/`]);
  assert.deepEqual(await candidates('serve', '--work-dir', `${dir}/`), [`${dir}/sub/`]);
  assert.deepEqual(await candidates('serve', '--config', `${dir}/nope/x`), []);
});

/** A fisk that completes to what it was asked with, first on the PATH of the shell. */
function shellWith(dir: string): NodeJS.ProcessEnv {
  writeFileSync(join(dir, 'fisk'), '#!/bin/sh\nshift\nfor word; do echo "got:$word"; done\necho key=\n', {
    mode: 0o755,
  });
  return { PATH: `${dir}:${process.env['PATH']}` };
}

test('the script for bash asks the program with the words up to the cursor', () => {
  const dir = tempDir();
  const line = 'fisk call server=nats://x  later';
  const script = `${completionScript('bash')}
COMP_LINE='${line}'; COMP_POINT=${line.indexOf('later') - 1}
COMP_WORDS=(fisk call server = nats : //x '' later); COMP_CWORD=7; _fisk; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-c', script], { env: shellWith(dir), encoding: 'utf8' });
  assert.equal(output, 'got:call\ngot:server=nats://x\ngot:\nkey=\n');
});

/** Three programs start one after the other for a single tab, on a machine that may have other things to do. */
const PATIENCE_MS = 30_000;

/** What a shell runs in the end, when `typed` is typed into it with its tabs. */
async function typedInto(shell: readonly string[], setup: string, typed: string, dir: string): Promise<string> {
  const ran = join(dir, 'ran');
  const candidates = 'printf "%s\\n" grade=alpha local | grep "^$last"';
  writeFileSync(
    join(dir, 'fisk'),
    `#!/bin/sh\nif [ "$1" = --fisk-complete ]; then for last; do :; done; ${candidates}; else echo "$@" > ${ran}; fi\n`,
    { mode: 0o755 },
  );
  const terminal = spawn('/usr/bin/script', ['-qec', shell.join(' '), '/dev/null'], {
    env: { PATH: `${dir}:${process.env['PATH']}`, TERM: 'dumb', HOME: dir },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    let screen = '';
    terminal.stdout.on('data', (chunk) => {
      screen += chunk;
    });
    // Once the prompt stands there the shell edits what is typed; before that a tab is only a tab.
    terminal.stdin.write(`${setup}; PS1=ready''now\n`);
    await waitFor(() => screen.includes('readynow'), { timeout: PATIENCE_MS, what: () => `the shell: ${screen}` });
    terminal.stdin.write(`${typed}\n`);
    // The file is there before its text is.
    return await waitFor(() => existsSync(ran) && (readFileSync(ran, 'utf8').trim() || undefined), {
      timeout: PATIENCE_MS,
      what: () => screen,
    });
  } finally {
    terminal.kill('SIGKILL');
  }
}

const noTerminals = { skip: existsSync('/usr/bin/script') ? false : 'there is no script(1) here' };

for (const [typed, ran] of [
  ['fisk call depot add gra\t', 'call depot add grade=alpha'],
  ['fisk call depot add grade=\t', 'call depot add grade=alpha'],
  ['fisk call depot add grade=al\t', 'call depot add grade=alpha'],
  [
    'fisk call --server nats://127.0.0.1:4222 depot add name=a:b gr\t',
    'call --server nats://127.0.0.1:4222 depot add name=a:b grade=alpha',
  ],
  ['fisk discover --context lo\t', 'discover --context local'],
] as const) {
  test(`bash completes ${JSON.stringify(typed)}`, noTerminals, async () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'fisk.bash'), completionScript('bash'));
    const shell = ['bash', '--norc', '--noprofile', '-i'];
    assert.equal(await typedInto(shell, `source ${dir}/fisk.bash`, typed, dir), ran);
  });
}

test('what a shell would act on is never offered, whoever named it', async (t) => {
  const server = await startNatsServer();
  const peer = await WireCaller.connect(server.url);
  t.after(async () => {
    await peer.close();
    await server.stop();
  });
  const bad = [
    'a;touch$IFS;b',
    '$(id)',
    '`id`',
    "q'",
    'a b',
    'a\nb',
    'a*',
    '?',
    '~',
    '{a,b}',
    'a\tb',
    'a\\b',
    '--json',
    '',
  ];
  const properties = Object.fromEntries(bad.map((name) => [name, {}]));
  const worker = wireWorker(peer.nc, 'choria.fisk-ai.discovery.evil', 'evil', (turn) =>
    turn.say('discovery.reply', {
      name: 'evil',
      version: '1',
      tools: [
        ...bad.map((name) => ({ name })),
        { name: 'part_add', input_schema: { properties: { ...properties, grade: { enum: [...bad, 'größe'] } } } },
      ],
    }),
  );
  t.after(() => worker.stop());
  const offered = async (...words: string[]) => {
    const terminal = memoryTerminal();
    await main(['--fisk-complete', 'call', '--server', server.url, 'evil', ...words], terminal, {});
    return terminal.stdout();
  };
  assert.equal(await offered(''), 'part_add\n');
  assert.equal(await offered('part_add', ''), 'grade=\n');
  assert.equal(await offered('part_add', 'grade='), 'grade=--json\ngrade=\ngrade=größe\n');
  const dir = tempDir();
  for (const name of ['a;b', 'c d', 'e']) writeFileSync(join(dir, name), '');
  assert.deepEqual(await candidates('serve', '--config', `${dir}/`), [`${dir}/e`]);
});
