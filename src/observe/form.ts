/**
 * How a line of the log looks. pino writes level, time, the fields and the message last; here time, level and message
 * come first in both forms, so that a person reading either finds them in one place.
 */

const HEAD = /^\{"level":("[a-z]+"),"time":("[^"]+")/;
const MESSAGE_KEY = ',"msg":"';
const LINE_END = '"}\n';

/** One pino line as `{"time":…,"level":…,"msg":…,fields}`. A line of another shape is left as it is. */
export function jsonLine(line: string): string {
  const head = HEAD.exec(line);
  if (head === null) return safe(line);
  const start = head[0].length;
  const { message, fields } = splitMessage(line, start);
  return safe(`{"time":${head[2]},"level":${head[1]}${message}${fields}`);
}

/** Moves the message, which pino writes last, before the fields. The key may also occur inside a field: hence the look at the end. */
function splitMessage(line: string, start: number): { message: string; fields: string } {
  const at = line.lastIndexOf(MESSAGE_KEY);
  const end = line.length - LINE_END.length;
  const isLast = at >= start && line.endsWith(LINE_END) && closesAt(line, at + MESSAGE_KEY.length) === end;
  if (!isLast) return { message: '', fields: line.slice(start) };
  return { message: line.slice(at, end + 1), fields: line.slice(start, at) + line.slice(end + 1) };
}

/** Where the string ends whose first character stands at `from`. */
function closesAt(line: string, from: number): number {
  for (let i = from; i < line.length; i++) {
    if (line[i] === '\\') i++;
    else if (line[i] === '"') return i;
  }
  return -1;
}

/** The same line as `time=… level=… msg="…" key=value`. Nothing of it can break out of its line. */
export function textLine(line: string): string {
  const entries = Object.entries(JSON.parse(jsonLine(line)) as Record<string, unknown>);
  return `${entries.map(([key, value]) => `${key}=${textValue(value)}${unitOf(key, value)}`).join(' ')}\n`;
}

/** Durations are numbers of milliseconds in the JSON form; a person is told so. */
function unitOf(key: string, value: unknown): string {
  return key === 'duration' && typeof value === 'number' ? 'ms' : '';
}

const PLAIN = /^[^\s"=\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+$/u;

function textValue(value: unknown): string {
  if (typeof value !== 'string') return safe(JSON.stringify(value));
  return PLAIN.test(value) ? value : safe(JSON.stringify(value));
}

/** JSON leaves a few characters bare that a terminal acts on, or that turn the direction of what follows. */
function safe(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
