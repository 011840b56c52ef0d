export { type Monitor, startListener } from './listener.ts';
export { SERIES } from './series.ts';
