export { effectiveConcurrency } from './concurrency.ts';
export { type RunningServer, type ServerOptions, type State, startServer } from './server.ts';
