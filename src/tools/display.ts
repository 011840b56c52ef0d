/** Text of others made fit for a terminal and for a person who has to judge it. */

/** Code points kept of a command line. */
export const COMMAND_LINE_LIMIT = 2000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Removes escape sequences, turns other control characters, those of direction included, into spaces, folds white space and cuts to `limit` code
 * points. The cut comes last, so that no half sequence survives it.
 */
export function sanitize(text: string, limit: number): string {
  const folded = text.replace(ESCAPE_SEQUENCE, '').replace(CONTROL, ' ').replace(/\s+/g, ' ').trim();
  return cut(folded, limit);
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const points = [...text];
  return points.length <= limit ? text : `${points.slice(0, limit).join('')}…`;
}

/** A token as a POSIX shell would need it written, so that two different vectors never look alike. */
export function shellQuote(token: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(token)) return token;
  return `'${token.replaceAll("'", `'\\''`)}'`;
}

/** A vector on one line, quoted and sanitised. */
export function displayLine(argv: readonly string[]): string {
  return sanitize(argv.map(shellQuote).join(' '), COMMAND_LINE_LIMIT);
}

const LONGEST_WHOLE_VALUE = 19;

/** A long value reduced to its beginning and end. For display alone: approval and running use the whole. */
function shortenValue(value: string): string {
  const points = [...value];
  if (points.length <= LONGEST_WHOLE_VALUE) return value;
  return `${points.slice(0, 10).join('')}...${points.slice(-6).join('')}`;
}

/** A vector on one line with its long values shortened; the path, flag names and what precedes `=` stay whole. */
export function shortLine(path: readonly string[], flags: readonly string[], positionals: readonly string[]): string {
  const shortFlags = flags.map((token) => {
    const equals = token.indexOf('=');
    return equals < 0 ? token : `${token.slice(0, equals + 1)}${shortenValue(token.slice(equals + 1))}`;
  });
  const behind = positionals.length === 0 ? [] : ['--', ...positionals.map(shortenValue)];
  return displayLine([...path, ...shortFlags, ...behind]);
}
