export { createLogger, defaultLogFormat, type Logger, type LoggerOptions } from './logger.ts';
export { type LogSink, stderrSink } from './sink.ts';
