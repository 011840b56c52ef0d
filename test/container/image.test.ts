import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { cacheDir, programsNamed } from '../../scripts/lib/programs.ts';
import { fisk } from '../support/fisk.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { type RunOptions, run, start } from '../support/run.ts';
import { projectDir } from '../support/source.ts';
import { fixture, tempDir, tempFile } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { buildImage, debian, type Image, instructions } from './support/image.ts';

const NAMESPACES = ['--cgroup', '--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child'];
const skip = await reason();

async function reason(): Promise<string | false> {
  if (programsNamed('debootstrap').length === 0) return 'no debootstrap here';
  const { code, stderr } = await run('unshare', [...NAMESPACES, 'true']);
  return code === 0 ? false : `no namespaces can be made here: ${stderr.trim()}`;
}

let image: Image;
let server: TestNatsServer;
let volumes: string;
/** Beside the project, since the folder for temporary files may be in memory. */
const dir = join(cacheDir('container'), String(process.pid));

before(async () => {
  if (skip !== false) return;
  server = await startNatsServer();
  image = await buildImage({ context: projectDir, dir, base, env: passedOn() });
  volumes = tempDir();
  tempFile(
    'etc/fisk/agent.yaml',
    'identity: boxed\napplication_path: /usr/local/lib/lab/lab.sh\nnats_context: boxed\nexpose: {agent: {a2a: {serve_tools: true}}}\n',
    volumes,
  );
  tempFile('var/lib/fisk/.config/nats/context/boxed.json', JSON.stringify({ url: server.url }), volumes);
  cpSync(dirname(fixture('lab.sh')), join(volumes, 'usr/local/lib/lab'), { recursive: true });
  // An application is copied into an image made from this one, so that its folder is there before the root is fixed.
  mkdirSync(join(image.root, 'usr/local/lib/lab'), { recursive: true });
  mkdirSync(join(image.root, 'etc/fisk'), { recursive: true });
  mkdirSync(join(image.root, 'var/lib/fisk/.config'), { recursive: true });
});
after(async () => {
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The image of Node is a Debian with Node and npm in /usr/local; the other one is a Debian. */
async function base(name: string, into: string): Promise<void> {
  mkdirSync(dir, { recursive: true });
  await debian(join(cacheDir('container'), 'bookworm-published'), into);
  cpSync('/etc/resolv.conf', join(into, 'etc/resolv.conf'), { dereference: true });
  if (!name.startsWith('node:')) return;
  assert.equal(Number(process.versions.node.split('.')[0]), Number(/^node:(\d+)/.exec(name)?.[1]));
  cpSync(process.execPath, join(into, 'usr/local/bin/node'), { dereference: true });
  const [npm = ''] = programsNamed('npm');
  const { stdout } = await run('readlink', ['-f', npm]);
  cpSync(join(stdout.trim(), '../..'), join(into, 'usr/local/lib/node_modules/npm'), { recursive: true });
  const linked = await run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(into, 'usr/local/bin/npm')]);
  assert.equal(linked.code, 0);
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  if (certificates !== undefined) cpSync(certificates, join(into, 'etc/certificates.pem'), { dereference: true });
}

function passedOn(): NodeJS.ProcessEnv {
  return process.env['NODE_EXTRA_CA_CERTS'] === undefined ? {} : { NODE_EXTRA_CA_CERTS: '/etc/certificates.pem' };
}

/** How a container of the image is started, as a read-only root and without a capability. */
function container(command: readonly string[], { limit = 'max 100000', processors = 64 } = {}) {
  const args = [join(import.meta.dirname, 'support/container.sh'), image.root, volumes, limit, String(processors)];
  const env = { PATH: process.env['PATH'], ...image.env, USER_ID: image.user, WORKDIR: image.workdir };
  const options: RunOptions = { env };
  return { args: [...NAMESPACES, ...args, ...command], options };
}

test('the Dockerfile has no fault that hadolint knows', async (t) => {
  const [hadolint] = programsNamed('hadolint');
  if (hadolint === undefined) return t.skip('not run: no hadolint here');
  const { code, stdout } = await run(hadolint, [join(projectDir, 'Dockerfile')]);
  assert.deepEqual([code, stdout], [0, '']);
});

test('every instruction is one that the steps here know, and two stages are made', () => {
  const words = instructions(readFileSync(join(projectDir, 'Dockerfile'), 'utf8')).map(({ word }) => word);
  assert.equal(words.filter((word) => word === 'FROM').length, 2);
  assert.ok(!words.includes('ADD'));
});

test('the last stage is small, holds nothing to build with, and runs as nobody special', { skip }, async () => {
  for (const program of ['npm', 'npx', 'gcc', 'cc', 'make', 'python3', 'git', 'esbuild', 'tsc']) {
    const found = ['usr/local/bin', 'usr/bin', 'bin'].filter((path) => existsSync(join(image.root, path, program)));
    assert.deepEqual(found, [], program);
  }
  const libraries = join(image.root, 'usr/local/lib/node_modules');
  assert.ok(!existsSync(join(libraries, 'npm')) && !existsSync(join(libraries, 'fisk/node_modules/typescript')));
  const size = async (path: string) => Number((await run('du', ['-sm', path])).stdout.split('\t')[0]);
  const more = (await size(image.root)) - (await size(join(cacheDir('container'), 'bookworm-published')));
  assert.ok(more < 180, `${more} MB more than Debian`);
  assert.match(image.user, /^[1-9]\d*:[1-9]\d*$/);
});

test('it serves on a root that cannot be written, says that it lives, and leaves when it is told', {
  skip,
}, async () => {
  const { args, options } = container([...image.entrypoint, ...image.command]);
  const running = await start('unshare', args, options);
  await running.printed(/the daemon is ready/, 20_000);
  const called = await fisk(['call', 'boxed', 'echo', 'words:=["a b"]', '--server', server.url]);
  assert.deepEqual([called.code, called.stdout], [0, '[a b]\n']);

  const init = Number(readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8').trim().split(' ')[0]);
  assert.match(readFileSync(`/proc/${init}/comm`, 'utf8'), /^tini/);
  const inside = (...command: string[]) =>
    run('nsenter', ['-t', String(init), '-m', '-p', '-r', '-S', image.user.split(':')[0] ?? '', ...command], options);
  assert.notEqual((await inside('touch', '/usr/local/new')).code, 0);
  assert.equal((await inside('touch', '/tmp/new')).code, 0);
  assert.equal(
    (await inside('env', `FISK_METRICS_ADDRESS=${image.env['FISK_METRICS_ADDRESS']}`, ...image.healthcheck)).code,
    0,
  );
  assert.equal((await inside('env', 'FISK_METRICS_ADDRESS=127.0.0.1:1', ...image.healthcheck)).code, 1);

  // To process 1, as the runtime of a container does.
  process.kill(init, 'SIGTERM');
  const ended = await running.ended;
  assert.equal(ended.code, 0, ended.stderr);
});

test('as many commands run at a time as the control group of the container has processors for', { skip }, async () => {
  const shown = async (limit: string) => {
    // Without tini, since only the first process has the processors of the test in sight.
    const [, , program = ''] = image.entrypoint;
    const { args, options } = container([program, 'serve', '--check', '--config', '/etc/fisk/agent.yaml'], { limit });
    const { code, stdout, stderr } = await run('unshare', args, options);
    assert.equal(code, 0, stderr);
    return Number(/Concurrency: (\d+)/.exec(stdout)?.[1]);
  };
  assert.equal(await shown('350000 100000'), 4);
  assert.equal(await shown('150000 100000'), 2);
  assert.equal(await shown('max 100000'), 8);
});

test('a command that runs when the container leaves is told to its caller and ends with it', { skip }, async () => {
  const { args, options } = container([...image.entrypoint, ...image.command]);
  const running = await start('unshare', args, options);
  await running.printed(/the daemon is ready/, 20_000);
  const calling = fisk(['call', 'boxed', 'sleep', 'seconds=60', '--json', '--server', server.url]);
  await waitFor(async () => (await run('pgrep', ['-f', 'lab.sh sleep -- 60'])).code === 0, { what: 'the command' });
  const init = Number(readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8').trim().split(' ')[0]);
  process.kill(init, 'SIGTERM');
  assert.match((await calling).stdout, /"interrupted"/);
  await running.ended;
  await waitFor(async () => (await run('pgrep', ['-f', 'lab.sh sleep -- 60'])).code !== 0, { what: 'its end' });
});
