import type { Document } from 'yaml';
import { ConfigUnreadableError } from '../errors.ts';
import { buildConfig } from './build.ts';
import { checkFile, checkOverrides, type Subject } from './check.ts';
import { checkCommand, type Mode } from './check-command.ts';
import { checkMcpServers } from './check-mcp-servers.ts';
import { checkStructure, derivedIdentity } from './check-structure.ts';
import { booleanText, readSetting } from './coercion.ts';
import { isEmpty, isMapping, parseSource } from './document.ts';
import { Lookup } from './lookup.ts';
import { refuseNotBuilt } from './not-built.ts';
import { PROBLEM_RANK, ProblemList } from './problems.ts';
import { readLimited } from './read-file.ts';
import { Reading } from './reading.ts';
import { applyRenames } from './renames.ts';
import { keyText } from './schema.ts';
import { type FlagValues, overrides, Settings } from './settings.ts';
import type { Config } from './types.ts';
import { telemetryVeto } from './variables.ts';

export interface LoadRequest {
  /** As given; relative to the working directory. */
  readonly path: string;
  readonly mode: Mode;
  /** The flags this command has. `no-telemetry` and `state-dir` count here beside those the schema names. */
  readonly flags?: FlagValues;
  readonly env: NodeJS.ProcessEnv;
  /** A connection is given by other means, so an absent nats_context is no problem. */
  readonly contextOptional?: boolean;
}

export interface LoadedConfig {
  readonly config: Config;
  /** Warnings for stderr, each one line. */
  readonly notices: readonly string[];
}

/**
 * Reads, judges and completes the configuration for one command.
 * @throws {ConfigUnreadableError} naming the path and the reason of the system.
 * @throws {ConfigInvalidError} with every problem found.
 */
export function loadConfig(request: LoadRequest): LoadedConfig {
  let bytes: Buffer;
  try {
    bytes = readLimited(request.path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigUnreadableError(`the configuration ${request.path} cannot be read: ${reason}`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigUnreadableError(`the configuration ${request.path} is not UTF-8 text`);
  }
  return parseConfig(text, request);
}

/**
 * As {@link loadConfig}, from text. An empty text gives every default.
 * @throws {ConfigInvalidError}
 */
export function parseConfig(text: string, request: LoadRequest): LoadedConfig {
  const { path, mode, env, flags = {}, contextOptional = false } = request;
  const problems = new ProblemList();
  const notices: string[] = [];
  const document = parseDocument(text, path, problems, notices);

  const reading = new Reading(document);
  if (reading.repeatsTooMuch) {
    problems.add({
      rank: PROBLEM_RANK.file,
      key: '',
      rule: 'repeats more than 10000 values by its aliases',
      remedy: 'Write what is meant without so many aliases.',
    });
    problems.throwIfAny();
  }
  const lookup = new Lookup(reading.data);
  const set = overrides(flags, env);
  const flagIdentity = set.find(({ path: key }) => keyText(key) === 'identity')?.text;
  const named = (lookup.text('identity') ?? flagIdentity ?? '') !== '';
  const subject: Subject = { lookup, reading, problems, named };

  checkFile(subject);
  checkOverrides(set, new Map(set.map((override) => [override, readSetting(override.text, override.node)])), problems);
  checkStructure(subject);
  checkCommand(mode, subject, { contextOptional });
  checkMcpServers(subject);
  checkStateDir(subject, flags);
  if (mode === 'serve' || mode === 'mcp') {
    const vetoed = telemetryVeto(env, booleanText(flags['no-telemetry'] ?? '') === true) !== undefined;
    refuseNotBuilt(mode, subject, vetoed);
  }
  const placeOf = (key: string) => {
    const offset = reading.place(key)?.key;
    const at = offset === undefined ? undefined : problems.source?.lines.linePos(offset);
    return at === undefined ? path : `${path}:${at.line}:${at.col}`;
  };
  notices.push(...emptySwitches(subject, placeOf));
  problems.throwIfAny(notices);

  const settings = new Settings(reading.data, flags, env);
  const identity = settings.text('identity') ?? derivedIdentity(settings.text('application_path'));
  const workersTyped = set.some(({ origin }) => origin === '--workers');
  const config = buildConfig(lookup, settings, { path, identity, named, placeOf }, workersTyped);
  notices.push(...warnings(subject, config));
  return { config, notices };
}

function parseDocument(text: string, path: string, problems: ProblemList, notices: string[]): Document | undefined {
  const { source, document } = parseSource(path, text, problems, notices);
  // Values of a text that is not understood as a whole would only mislead.
  problems.throwIfAny();
  if (document === undefined || isEmpty(document)) {
    return undefined;
  }
  if (!isMapping(document)) {
    problems.add({
      rank: PROBLEM_RANK.file,
      key: '',
      offset: document.contents?.range?.[0] ?? 0,
      rule: 'must be a mapping of keys to values',
      remedy: 'Begin with a key, such as identity: name.',
    });
    problems.throwIfAny();
  }
  applyRenames(document, source, notices, problems);
  return document;
}

/** --state-dir is the directory of the file backend, so it cannot go with another. */
function checkStateDir({ lookup, problems }: Subject, flags: FlagValues): void {
  const backend = lookup.text('harness.sessions.backend');
  if (flags['state-dir'] !== undefined && backend !== undefined && backend !== 'file') {
    problems.add({
      rank: PROBLEM_RANK.rest,
      key: 'harness.sessions.backend',
      origin: '--state-dir',
      rule: `is ${JSON.stringify(backend)}, and only the backend file has a directory`,
      remedy: 'Leave the flag away, or set the backend to file.',
    });
  }
}

function emptySwitches({ reading }: Subject, placeOf: Config['placeOf']): string[] {
  return reading.emptySwitches.map(keyText).map((key) => {
    // Alone among them it must say what it is for.
    const defaults = key === 'expose.agent.a2a' ? '' : ', {} for its defaults';
    const remedy = `write its keys below it${defaults}, or remove it`;
    return `${placeOf(key)}: ${key} has no value and counts as absent; ${remedy}`;
  });
}

function warnings(subject: Subject, config: Config): string[] {
  const where = (key: string) => `${config.placeOf(key)}: ${key}`;
  const found: string[] = [];
  if (config.harness.toolTimeoutMs === 0) {
    found.push(`${where('harness.tool_timeout')} is 0: tool calls of runs have no time limit`);
  }
  for (const [index, host] of subject.lookup.entries('remote_tools').entries()) {
    if (host.texts('include.tags').length > 0) {
      found.push(`${where(`remote_tools[${index}].include.tags`)} has no effect: cards carry no tags`);
    }
  }
  return found;
}
