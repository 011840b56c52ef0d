export { type ApplicationOptions, openApplication } from './application.ts';
export { type Host, type HostOptions, openHost } from './host.ts';
