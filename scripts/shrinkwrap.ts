/**
 * Pins, inside the published archive, the exact libraries that were tested: whoever installs it gets the same tree, with
 * one core of the NATS client in it, which package.json alone cannot promise (its overrides count only at home).
 * Run by npm before it packs, and with --remove after.
 */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectDir } from './lib/programs.ts';

const file = join(projectDir, 'npm-shrinkwrap.json');
if (process.argv.includes('--remove')) rmSync(file, { force: true });
else copyFileSync(join(projectDir, 'package-lock.json'), file);
