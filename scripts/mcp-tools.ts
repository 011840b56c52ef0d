/**
 * Installs the clients and the conformance suite that `fisk mcp` is tried with into the project's `.cache/`: one that is
 * there is left alone. They are no packages of the project, because together they are several times its size. Run as a
 * program it installs all of them, and says which could not be.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, cacheDir, outputOf, projectDir } from './lib/programs.ts';

/** The Python client and all that it needs, as pip resolves them. */
const PYTHON_CLIENT = 'mcp==2.3.0';

/** The entry of the official conformance suite (52 MB), or nothing when it cannot be installed. */
export function conformanceSuite(): string | undefined {
  return npmTool('test/conformance/harness', 'conformance/dist/index.js');
}

/** The entry of the official inspector for the command line (111 MB), or nothing when it cannot be installed. */
export function inspector(): string | undefined {
  return npmTool('test/mcp-clients/inspector', 'inspector/clients/cli/build/index.js');
}

/** The value of PYTHONPATH with the official Python client in it (45 MB), or nothing when it cannot be installed. */
export function pythonClient(): string | undefined {
  const abi = outputOf('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])?.trim();
  if (abi === undefined) return undefined;
  const dir = cacheDir(`python-${PYTHON_CLIENT.replace('==', '-')}-${abi}`);
  const works = () => outputOf('python3', ['-c', `import sys; sys.path.insert(0, ${JSON.stringify(dir)}); import mcp`]);
  if (works() === undefined) {
    attempt('python3', ['-m', 'pip', 'install', '--quiet', '--upgrade', '--target', dir, PYTHON_CLIENT]);
  }
  return works() === undefined ? undefined : dir;
}

/** Installs what a folder of the project pins, without running what the packages would like to run. */
function npmTool(folder: string, entry: string): string | undefined {
  const dir = cacheDir(...folder.split('/').slice(1));
  const path = join(dir, 'node_modules', '@modelcontextprotocol', entry);
  const lock = join(projectDir, folder, 'package-lock.json');
  const copied = join(dir, 'package-lock.json');
  const upToDate = existsSync(copied) && readFileSync(copied, 'utf8') === readFileSync(lock, 'utf8');
  if (!upToDate || !existsSync(path)) {
    for (const name of ['package.json', 'package-lock.json']) {
      copyFileSync(join(projectDir, folder, name), join(dir, name));
    }
    attempt('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: dir });
  }
  return existsSync(path) ? path : undefined;
}

if (import.meta.main) {
  const tools = {
    'the conformance suite': conformanceSuite,
    'the inspector': inspector,
    'the Python client': pythonClient,
  };
  for (const [name, install] of Object.entries(tools)) {
    console.log(`${name}: ${install() ?? 'could not be installed'}`);
  }
}
