import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { programsNamed } from '../../scripts/lib/programs.ts';
import { packArchive } from '../support/archive.ts';
import { depot } from '../support/fisk.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { run, start } from '../support/run.ts';
import { projectDir } from '../support/source.ts';
import { tempDir, tempFile } from '../support/tmp.ts';

test('the archive that would be published installs with one NATS core and runs', async () => {
  const archive = await packArchive();
  assert.ok(statSync(archive).size < 3_000_000, 'a few MB at most');
  const inside = join(tempDir(), 'package');
  assert.equal((await run('tar', ['-xzf', archive, '-C', dirname(inside)])).code, 0);
  const files = globSync('**/*', { cwd: inside });
  for (const file of [
    'npm-shrinkwrap.json',
    'LICENSE',
    'monitoring/alerts.yaml',
    'monitoring/dashboard.json',
    'systemd/fisk@.service',
  ])
    assert.ok(files.includes(file), file);
  assert.deepEqual(
    files.filter((file) => /^(src|test|bench|scripts)\b/.test(file)),
    [],
  );

  // As whoever installs it gets it: the pinned tree, nothing for development, no install script run.
  const install = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const installed = await run('npm', install, { cwd: inside, timeout: 120_000 });
  assert.equal(installed.code, 0, installed.stderr);
  assert.equal(globSync('node_modules/**/nats-core/package.json', { cwd: inside }).length, 1);
  assert.equal(existsSync(join(inside, 'node_modules', 'typescript')), false);

  const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8'));
  const entry = join(inside, 'dist', 'main.js');
  assert.match(readFileSync(entry, 'utf8'), /^#!\/usr\/bin\/env node\n/);
  assert.ok((statSync(entry).mode & 0o111) !== 0, 'it can be run');
  const asked = await run(process.execPath, [entry, '--version']);
  assert.deepEqual([asked.code, asked.stdout, asked.stderr], [0, `${version}\n`, '']);
  const lines = `identity: x\napplication_path: ${depot}\nexpose: { agent: { a2a: { serve_tools: true } } }\n`;
  const check = [entry, 'serve', '--check', '--dev', '--config', tempFile('agent.yaml', lines)];
  const checked = await run(process.execPath, check);
  assert.equal(checked.code, 0, checked.stderr);
  assert.match(checked.stdout + checked.stderr, /part_add/);
  const script = "import { loadConfig } from 'fisk'; console.log(typeof loadConfig);";
  const imported = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: inside });
  assert.deepEqual([imported.stdout, imported.stderr], ['function\n', '']);
});

test('installed for everybody on a machine with Node alone, the program serves at once', async (t) => {
  const prefix = tempDir();
  // Node and npm, the tools that every machine has, and nothing else.
  const bin = tempDir();
  for (const name of ['node', 'npm', 'sh', 'env'])
    symlinkSync(name === 'node' ? process.execPath : onPath(name), join(bin, name));
  const env = { ...process.env, PATH: bin };
  const install = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', '--prefer-offline'];
  const installed = await run('npm', [...install, await packArchive()], { env, timeout: 120_000 });
  assert.equal(installed.code, 0, installed.stderr);

  const server = await startNatsServer();
  t.after(() => server.stop());
  const home = tempDir();
  tempFile('nats/context/lab.json', JSON.stringify({ url: server.url }), home);
  const lines = `identity: fresh\napplication_path: ${depot}\nnats_context: lab\nexpose: { agent: { a2a: { serve_tools: true } } }\n`;
  const fisk = join(prefix, 'bin', 'fisk');
  const bare = { PATH: bin, HOME: home, XDG_CONFIG_HOME: home };
  const daemon = await start(fisk, ['serve', '--config', tempFile('agent.yaml', lines)], { env: bare });
  t.after(() => daemon.stop('SIGKILL'));
  await daemon.printed(/the daemon is ready/);
  const called = await run(fisk, ['call', 'fresh', 'part_ls', '--server', server.url], { env: bare });
  assert.equal(called.code, 0, called.stderr);
  assert.equal((await daemon.stop('SIGTERM')).code, 0);
});

function onPath(name: string): string {
  const [path] = programsNamed(name);
  if (path === undefined) throw new Error(`no ${name} here`);
  return path;
}
