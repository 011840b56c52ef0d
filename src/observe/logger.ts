import { type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { jsonLine, textLine } from './form.ts';
import type { LogSink } from './sink.ts';
import { stderrSink } from './stderr.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly level: 'info' | 'debug';
  /** `json`: one object a line. `text`: `key=value`, for people. */
  readonly format: 'json' | 'text';
  /** Standard error when absent. */
  readonly destination?: Pick<LogSink, 'write'>;
}

/** A log whose lines begin with time (ISO 8601, UTC), level and message in both forms. Logging never blocks or throws. */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: options.format === 'json' ? jsonLine : textLine },
    },
    options.destination ?? stderrSink(),
  );
}

/** Characters of a text of others that a line of the log shows. */
const LONGEST_TEXT = 2_000;

/** A text of others, cut so that no line is lost for being too long. */
export function logText(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

/** The form for standard error when none is asked for: text on a terminal, JSON elsewhere. */
export function defaultLogFormat(): 'json' | 'text' {
  return process.stderr.isTTY ? 'text' : 'json';
}
