/** The archive that would be published. */
import { cpSync, existsSync, globSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';
import { projectDir } from './source.ts';
import { tempDir } from './tmp.ts';

/** What the archive is made from. */
const SOURCES = ['package.json', 'package-lock.json', 'README.md', 'LICENSE', 'src', 'scripts', 'tsconfig.json'];
SOURCES.push('tsconfig.build.json', 'config', 'docs', 'monitoring', 'systemd');

/** Packs a copy of the project, since packing builds, and the dist/ that other tests run must stay as it is. */
export async function packArchive(): Promise<string> {
  const copy = tempDir();
  for (const name of SOURCES) cpSync(join(projectDir, name), join(copy, name), { recursive: true });
  symlinkSync(join(projectDir, 'node_modules'), join(copy, 'node_modules'));
  const packed = await run('npm', ['pack', '--json', '--silent'], { cwd: copy, timeout: 60_000 });
  if (packed.code !== 0) throw new Error(packed.stderr);
  if (existsSync(join(copy, 'npm-shrinkwrap.json'))) throw new Error('packing left its shrinkwrap behind');
  const [archive] = globSync('*.tgz', { cwd: copy });
  if (archive === undefined) throw new Error('no archive was made');
  return join(copy, archive);
}
