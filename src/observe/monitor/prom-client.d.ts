// The parts of prom-client that are used, each by its own file: its main module loads three times as much.

declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client';
}

declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client';

  const register: (registry: Registry) => void;
  export default register;
}
