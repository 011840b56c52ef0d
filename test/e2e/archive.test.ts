import assert from 'node:assert/strict';
import { cpSync, existsSync, globSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { depot } from '../support/fisk.ts';
import { run } from '../support/run.ts';
import { projectDir } from '../support/source.ts';
import { tempDir, tempFile } from '../support/tmp.ts';

test('the archive that would be published installs with one NATS core and runs', async () => {
  // Packing builds, and the dist/ that other tests run must stay as it is.
  const copy = tempDir();
  for (const name of [
    'package.json',
    'package-lock.json',
    'README.md',
    'LICENSE',
    'src',
    'scripts',
    'config',
    'docs',
    'systemd',
    'monitoring',
  ]) {
    cpSync(join(projectDir, name), join(copy, name), { recursive: true });
  }
  for (const name of ['tsconfig.json', 'tsconfig.build.json']) cpSync(join(projectDir, name), join(copy, name));
  symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'));
  const packed = await run('npm', ['pack', '--json', '--silent'], { cwd: copy, timeout: 60_000 });
  assert.equal(packed.code, 0, packed.stderr);
  assert.equal(existsSync(join(copy, 'npm-shrinkwrap.json')), false, 'nothing is left behind');
  const [archive = ''] = globSync('*.tgz', { cwd: copy });

  const inside = join(tempDir(), 'package');
  assert.equal((await run('tar', ['-xzf', join(copy, archive), '-C', dirname(inside)])).code, 0);
  const files = globSync('**/*', { cwd: inside });
  for (const file of ['npm-shrinkwrap.json', 'LICENSE', 'monitoring/alerts.yaml', 'monitoring/dashboard.json'])
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
  const lines = `identity: x\napplication_path: ${depot}\nnats_context: none\nexpose: { agent: { a2a: { serve_tools: true } } }\n`;
  const checked = await run(process.execPath, [entry, 'serve', '--check', '--config', tempFile('agent.yaml', lines)]);
  assert.equal(checked.code, 0, checked.stderr);
  assert.match(checked.stdout + checked.stderr, /part_add/);
  const script = "import { loadConfig } from 'fisk'; console.log(typeof loadConfig);";
  const imported = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: inside });
  assert.deepEqual([imported.stdout, imported.stderr], ['function\n', '']);
});
