import type { LineCounter } from 'yaml';
import { ConfigInvalidError, type ConfigProblem } from '../errors.ts';

/** A parsed file: its first document, and what is needed to say where things stand in it. */
export interface Source {
  /** The path as it was given. */
  readonly path: string;
  readonly text: string;
  readonly lines: LineCounter;
}

/**
 * What is looked at first. The first line of a report is the problem that a reader who stops at the first one would
 * give: the text of the file, then single values, then what keys need of each other, then what the command needs.
 */
export const PROBLEM_RANK = {
  file: 0,
  values: 100,
  globalFlags: 200,
  identity: 201,
  remoteTools: 202,
  command: 300,
  rest: 400,
  notBuilt: 500,
} as const;

/** Values that are judged before the others, in this order. */
const VALUE_ORDER = [
  'harness.pii.mode',
  'llm.reasoning_effort',
  'expose.agent.mcp.confirm_over_mcp',
  'expose.agent.mcp.builtins',
  'expose.agent.mcp.max_concurrent_tools',
  'expose.agent.mcp.tool_timeout',
  'expose.agent.a2a.max_concurrent_tools',
  'expose.agent.a2a.tool_timeout',
  'expose.agent.a2a.request_timeout',
  'harness.tool_timeout',
  'llm.budget',
  'harness.knowledge.embeddings.timeout',
];

/** The rank of a value that has the right type and is refused all the same. */
export function valueRank(key: string): number {
  const place = VALUE_ORDER.findIndex(
    (known) => key === known || key.startsWith(`${known}.`) || key.startsWith(`${known}[`),
  );
  if (place >= 0) {
    return PROBLEM_RANK.values + place;
  }
  if (key === 'identity') {
    return PROBLEM_RANK.identity;
  }
  return key.startsWith('remote_tools[') ? PROBLEM_RANK.remoteTools : PROBLEM_RANK.rest;
}

/** The remedy for a misspelt key. */
export function didYouMean(key: string): string {
  return `Did you mean ${key}?`;
}

export interface Finding {
  readonly rank: number;
  readonly key: string;
  /** What is wrong, completing "<key> …". */
  readonly rule: string;
  /** What to do, a sentence. */
  readonly remedy: string;
  /** Where in the text; absent for what is missing from the file as a whole. */
  readonly offset?: number | undefined;
  /** The flag or variable that said it, instead of the file. */
  readonly origin?: string | undefined;
}

/** Gathers everything that is wrong, so that one run shows it all. */
export class ProblemList {
  source: Source | undefined;
  readonly #findings: Finding[] = [];

  add(finding: Finding): void {
    this.#findings.push(finding);
  }

  /** Whether something in the block is wrong already, so that what it lacks may only be misspelt. */
  within(block: string): boolean {
    return this.#findings.some(({ key }) => key.startsWith(`${block}.`));
  }

  /** Whether a key beside the place of `key` is taken for a misspelt `key`. */
  meant(key: string): boolean {
    const cut = key.lastIndexOf('.') + 1;
    const remedy = didYouMean(key.slice(cut));
    return this.#findings.some((found) => found.remedy === remedy && found.key.startsWith(key.slice(0, cut)));
  }

  get empty(): boolean {
    return this.#findings.length === 0;
  }

  /**
   * Ends with all findings, the most important first. Does nothing when there are none.
   * @param notices warnings that nobody would see otherwise; one may well be the reason for a finding.
   */
  throwIfAny(notices: readonly string[] = []): void {
    if (this.empty) {
      return;
    }
    const inText = (finding: Finding) => (finding.rank === PROBLEM_RANK.file ? (finding.offset ?? -1) : 0);
    const sorted = [...this.#findings].sort((a, b) => a.rank - b.rank || inText(a) - inText(b));
    const problems = sorted.map((finding) => this.#located(finding));
    const warnings = notices.map((notice) => `\nwarning: ${notice}`);
    throw new ConfigInvalidError(report(problems) + warnings.join(''), problems);
  }

  #located({ key, rule, remedy, offset, origin }: Finding): ConfigProblem {
    const source = this.source;
    if (origin !== undefined || offset === undefined || source === undefined) {
      return { where: origin ?? source?.path ?? '', key, rule, remedy };
    }
    const { line, col } = source.lines.linePos(offset);
    return {
      where: `${source.path}:${line}:${col}`,
      line,
      column: col,
      excerpt: excerpt(source.text, offset, line, col),
      key,
      rule,
      remedy,
    };
  }
}

/** How many problems a report prints in full. */
const SHOWN = 25;

function report(problems: readonly ConfigProblem[]): string {
  const blocks = problems.slice(0, SHOWN).map(({ where, key, rule, remedy, excerpt }) => {
    const subject = key === '' ? 'the file ' : key === where ? '' : `${printable(key)} `;
    const shown = excerpt === undefined ? '' : `${excerpt}\n`;
    return `${where}: ${subject}${printable(rule)}\n${shown}    ${remedy}`;
  });
  if (problems.length > SHOWN) {
    blocks.push(`and ${problems.length - SHOWN} more`);
  }
  return blocks.join('\n');
}

/** Widest piece of a source line that is shown. */
const WIDTH = 100;

function excerpt(text: string, offset: number, line: number, column: number): string {
  const start = offset - (column - 1);
  const end = text.indexOf('\n', offset);
  const whole = text.slice(start, end === -1 ? text.length : end);
  const from = column > WIDTH - 20 ? column - 20 : 0;
  const shown = printable(whole.slice(from, from + WIDTH));
  const gutter = String(line).padStart(6);
  return `${gutter} | ${shown}\n       | ${' '.repeat(column - 1 - from)}^`;
}

/** One column a character, so that a tab or a control character moves neither the caret nor the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
