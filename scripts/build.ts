/**
 * Builds what is shipped into dist/: the program, the library door and its types. With FISK_RELEASE set the version of
 * package.json is built in; without it the program calls itself a development build.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { projectDir } from './lib/programs.ts';

// Whoever runs the program while it is built finds the old one or the new one, not a half.
const dist = join(projectDir, 'dist');
const fresh = `${dist}.${process.pid}`;
process.on('exit', () => rmSync(fresh, { recursive: true, force: true }));
const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8'));
const released = (process.env['FISK_RELEASE'] ?? '') !== '';

await build({
  absWorkingDir: projectDir,
  entryPoints: { main: 'src/main.ts', index: 'src/index.ts', keeper: 'src/process/keeper-main.ts' },
  outdir: fresh,
  bundle: true,
  // What a command does not need stays in chunks of its own and is never read.
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node22.15',
  // Its native part is looked up beside its own files.
  external: ['koffi'],
  // Some libraries are CommonJS and ask for node's modules by require.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  define: released ? { FISK_VERSION: JSON.stringify(version) } : {},
  legalComments: 'linked',
  logLevel: 'warning',
});

const entry = join(fresh, 'main.js');
const text = readFileSync(entry, 'utf8');
if (!text.startsWith('#!')) writeFileSync(entry, `#!/usr/bin/env node\n${text}`);
chmodSync(entry, 0o755);

const tsc = join(projectDir, 'node_modules', '.bin', 'tsc');
execFileSync(tsc, ['-p', 'tsconfig.build.json', '--outDir', join(fresh, 'types')], {
  cwd: projectDir,
  stdio: ['ignore', 2, 2],
});

rmSync(dist, { recursive: true, force: true });
renameSync(fresh, dist);

// Where npx looks first. Without it, npx would install the project into a cache of its own, and only once.
const link = join(projectDir, 'node_modules', '.bin', 'fisk');
rmSync(link, { force: true });
symlinkSync(join('..', '..', 'dist', 'main.js'), link);
