/**
 * Finds the `nats` command-line program, or builds it with Go into the project's `.cache/`. Run as a program it prints
 * the path.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, cacheDir, outputOf, programsNamed } from './lib/programs.ts';

/** The first `nats` here that can describe itself to us (0.3 and later), or nothing. */
export function findNatsCli(): string | undefined {
  return programsNamed('nats').find((path) => outputOf(path, ['--fisk-introspect'])?.startsWith('{') === true);
}

/** Finds or builds the program. Throws when neither works. */
function ensureNatsCli(): string {
  const found = findNatsCli();
  if (found !== undefined) return found;
  const bin = cacheDir('bin');
  attempt('go', ['install', 'github.com/nats-io/natscli/nats@latest'], { env: { GOBIN: bin } });
  const built = join(bin, 'nats');
  if (!existsSync(built)) {
    throw new Error(
      'no nats CLI here and none could be built: run "go install github.com/nats-io/natscli/nats@latest"',
    );
  }
  return built;
}

if (import.meta.main) console.log(ensureNatsCli());
