export type { State } from './lifecycle.ts';
export { effectiveConcurrency, selectForPeers } from './select.ts';
export { type RunningServer, type ServerOptions, startServer } from './server.ts';
