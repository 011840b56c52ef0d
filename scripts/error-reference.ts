/** Writes docs/errors.md from the tables of errors and reply codes. A test says when this has to be run again. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { replyCodes } from '../src/cli/reply-codes.ts';
import { errorList } from '../src/errors.ts';
import { projectDir } from './lib/programs.ts';

/** The whole reference as Markdown. */
export function errorReference(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = errorList.map(
    ({ code, exitCode, meaning, remedy }) => `| \`${code}\` | ${exitCode} | ${cell(meaning)} | ${cell(remedy)} |`,
  );
  return [
    '# Errors',
    '',
    'Every failure that fisk can name has a code that stays the same from release to release. It is the `name` and the',
    '`code` of the error that a library user catches. The exit code is the one of `fisk call`, when that failure is what',
    'ended it; every other command ends with 1. When a command ran at the agent, `fisk call` ends with its exit code, or with',
    '255 when that is not one from 0 to 255. Its output reaches a pipe or a file as it came, and a terminal without escape',
    'sequences and control characters.',
    '',
    'This page is written by `npm run docs` from `src/errors.ts` and `src/cli/reply-codes.ts`.',
    '',
    '| code | exit code | what it means | what to do |',
    '|---|---|---|---|',
    ...rows,
    '',
    '## Codes of a reply',
    '',
    'When an agent answers a call with a failure, its reply says why. `fisk call` shows that code in brackets, and `--json`',
    'has it as `error.code`. 75 is a refusal before anything was run, but for `interrupted`.',
    '',
    '| code | exit code | what it means | what to do |',
    '|---|---|---|---|',
    ...[...replyCodes].map(
      ([code, { exitCode, meaning, remedy }]) => `| \`${code}\` | ${exitCode} | ${cell(meaning)} | ${cell(remedy)} |`,
    ),
    '',
  ].join('\n');
}

if (import.meta.main) writeFileSync(join(projectDir, 'docs', 'errors.md'), errorReference());
