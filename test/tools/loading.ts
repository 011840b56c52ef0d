/** Loads documents through a real child process, as any application is loaded. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from '../../src/process/index.ts';
import {
  type CommandTool,
  inputFromText,
  type LoadedApplication,
  type LoadOptions,
  loadApplication,
} from '../../src/tools/index.ts';
import { tempFile } from '../support/tmp.ts';

export const replay = join(import.meta.dirname, 'programs', 'replay.sh');
export const noFilter = { tools: [], tags: [] };

export function readCase(name: string) {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'cases', name), 'utf8'));
}

/** What replay.sh is told by. */
function replayEnvironment(document: unknown, variables: Record<string, string> = {}) {
  const path = tempFile('document.json', typeof document === 'string' ? document : JSON.stringify(document));
  return childEnvironment({ base: { PATH: process.env['PATH'], REPLAY_DOCUMENT: path, ...variables }, remove: [] });
}

export function load(
  document: unknown,
  options: Partial<LoadOptions> & { variables?: Record<string, string> } = {},
): Promise<LoadedApplication> {
  const { variables, ...rest } = options;
  return loadApplication({
    path: replay,
    environment: replayEnvironment(document, variables),
    globalFlags: [],
    include: noFilter,
    exclude: noFilter,
    confirmTags: [],
    ...rest,
  });
}

export function toolOf({ tools }: LoadedApplication, name: string): CommandTool {
  const tool = tools.find((candidate) => candidate.name === name);
  assert.ok(tool, `there is a tool ${name}`);
  return tool;
}

/** The argument vector of a call. */
export function argvOf(tool: CommandTool, text: string): readonly string[] {
  return tool.prepare(inputFromText(text)).argv;
}

/** The vector that a really started command saw, read back from what replay.sh prints. */
export async function seenArgv(tool: CommandTool, text: string): Promise<string> {
  const { output, exec } = await tool.execute({ timeoutMs: 10_000 }, inputFromText(text), {});
  assert.equal(exec?.exitCode, 0);
  return output;
}

export function printed(argv: readonly string[]): string {
  return argv.map((word, index) => `[${index}]${word}\n`).join('');
}
