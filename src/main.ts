// The first statement of the process: a small new space keeps a daemon that idles small, and V8 takes the setting
// only before its heap has grown.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--semi-space-growth-factor=1');

/** The oldest runtime that has everything the program uses. */
const OLDEST_NODE = '22.15.0';

/** What stands in the way of running here, in one line, or nothing. */
function unsupported(): string | undefined {
  const parts = (version: string) => version.split('.').map(Number);
  const [major = 0, minor = 0] = parts(process.versions.node);
  const [oldestMajor = 0, oldestMinor = 0] = parts(OLDEST_NODE);
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    return `fisk needs Node.js ${OLDEST_NODE} or newer, and this is ${process.versions.node}`;
  }
  if (process.platform !== 'linux') return `fisk runs on Linux with glibc, and this is ${process.platform}`;
  return undefined;
}

const problem = unsupported();
if (problem !== undefined) {
  process.stderr.write(`fisk: error: ${problem}\n`);
  process.exit(1);
}

// The client of NATS prints what it cannot make sense of, and our output is read by programs.
// biome-ignore lint/suspicious/noConsole: a library's words are led elsewhere, none of ours are written
console.log = console.error;

// Loaded only now: an older runtime could not even read the rest.
const { main } = await import('./cli/index.ts');
process.exit(await main(process.argv.slice(2)));
