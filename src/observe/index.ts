export { addressText, listenFault, type MonitorAddress, parseMonitorAddress } from './address.ts';
export { Lifecycle } from './lifecycle.ts';
export { createLogger, defaultLogFormat, type Logger, type LoggerOptions, logText } from './logger.ts';
export type { Monitor } from './monitor/index.ts';
export {
  type CallFacts,
  type CallOutcome,
  type ConnectionEvent,
  type DaemonState,
  type EndCall,
  type ServeObserver,
  type ServiceNumbers,
  type Serving,
  type Surface,
  silentObserver,
  type ToolFacts,
} from './observer.ts';
export type { LogSink } from './sink.ts';
export { startMonitor } from './start-monitor.ts';
export { stderrSink } from './stderr.ts';
export { type StormEvent, StormLog } from './storm-log.ts';
export { type Supervision, startSupervision } from './supervisor.ts';
export { Tally } from './tally.ts';
