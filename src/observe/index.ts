export { createLogger, defaultLogFormat, type Logger, type LoggerOptions } from './logger.ts';
export type { LogSink } from './sink.ts';
export { stderrSink } from './stderr.ts';
