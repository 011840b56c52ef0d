import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf, type SourceFile, sourceFiles, target, withoutComments } from './support/source.ts';

/** What each room may import, besides itself and the table of errors. Later rooms stand above earlier ones. */
const ROOMS = new Map<string, readonly string[]>();
ROOMS.set('errors.ts', []);
ROOMS.set('native', []);
ROOMS.set('redaction', []);
ROOMS.set('protocol', []);
ROOMS.set('process', ['native']);
ROOMS.set('config', ['process']);
ROOMS.set('observe', ['native', 'redaction']);
ROOMS.set('nats', ['protocol', 'config', 'observe']);
ROOMS.set('models', ['observe']);
ROOMS.set('stores', ['nats', 'native', 'observe']);
for (const room of ['tools', 'agent', 'host']) ROOMS.set(room, [...ROOMS.keys()]);
const upToHost = [...ROOMS.keys()];
ROOMS.set('mcp', upToHost);
ROOMS.set('serve', upToHost);
for (const room of ['cli', 'index.ts', 'main.ts'])
  ROOMS.set(
    room,
    [...ROOMS.keys()].filter((name) => name !== 'main.ts'),
  );

/** Libraries, and the only rooms that use them. */
const LIBRARIES = new Map([
  ['koffi', ['native']],
  ['ajv', ['protocol', 'config']],
  ['commander', ['cli']],
  ['convict', ['config']],
  ['yaml', ['config']],
  ['re2js', ['config']],
  ['pino', ['observe']],
  ['prom-client', ['observe']],
  ['@nats-io/nats-core', ['nats']],
  ['@nats-io/services', ['nats']],
  ['@nats-io/transport-node', ['nats']],
  ['@modelcontextprotocol/server', ['mcp']],
]);

const files = sourceFiles();
const every = (look: (file: SourceFile) => string[]) =>
  files.flatMap((file) => look(file).map((what) => `${file.path}: ${what}`));

test('the reader of imports sees every form of them and no comment', () => {
  const code = withoutComments(`
import a, { type B } from './a.ts'; // import x from './no.ts'
import type { C } from '../c/index.ts';
/* import y from './no.ts' */
import './effect.ts';
export * from './d.ts';
export {
  e,
} from './e.ts';
const glob = 'src/**/*.ts', url = "http://x", slash = /[/*]'/;
const f = await import('./f.ts');
type G = typeof import('./g.ts');
`);
  assert.deepEqual(
    importsOf(code).map(({ specifier, typeOnly }) => specifier + (typeOnly ? ' (type)' : '')),
    ['./a.ts', '../c/index.ts (type)', './effect.ts', './d.ts', './e.ts', './f.ts', './g.ts (type)'],
  );
  assert.match(code, /src\/\*\*\/\*\.ts', url = "http:\/\/x", slash = \/\[\/\*\]'\/;/);
});

test('every room is one that the design knows', () => {
  assert.deepEqual(
    every((file) => (ROOMS.has(file.room) ? [] : [`room ${file.room}`])),
    [],
  );
  assert.ok(files.length > 20, 'the source was found');
});

test('rooms import only rooms below them, types included', () => {
  const wrong = every((file) =>
    file.imports.flatMap(({ specifier }) => {
      const to = target(file, specifier)?.split('/')[0];
      const allowed = to === undefined || to === file.room || to === 'errors.ts' || to === '..';
      return allowed || ROOMS.get(file.room)?.includes(to) ? [] : [`imports ${specifier}`];
    }),
  );
  assert.deepEqual(wrong, []);
});

test('the allowed directions have no cycle among them', () => {
  const order = [...ROOMS.keys()];
  for (const [room, below] of ROOMS) {
    for (const other of below) assert.ok(order.indexOf(other) < order.indexOf(room), `${room} above ${other}`);
  }
});

test('another room is entered through its index.ts', () => {
  const deep = every((file) =>
    file.imports.flatMap(({ specifier }) => {
      const to = target(file, specifier);
      if (to === undefined || to.startsWith('..')) return [];
      const [room, ...rest] = to.split('/');
      return room === file.room || rest.length === 0 || rest.join('/') === 'index.ts' ? [] : [`imports ${specifier}`];
    }),
  );
  assert.deepEqual(deep, []);
});

test('only the configuration schema is read from outside src/', () => {
  const outside = every((file) =>
    file.imports
      .map(({ specifier }) => target(file, specifier))
      .filter((to) => to?.startsWith('..') && to !== '../config/fisk.schema.json')
      .map((to) => `imports ${to}`),
  );
  assert.deepEqual(outside, []);
});

test('no files import each other in a circle', () => {
  const known = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: SourceFile, path: string[]) => {
    if (path.includes(file.path)) circles.push([...path.slice(path.indexOf(file.path)), file.path].join(' -> '));
    if (path.includes(file.path) || done.has(file.path)) return;
    for (const { specifier } of file.imports) {
      const next = known.get(target(file, specifier) ?? '');
      if (next !== undefined) visit(next, [...path, file.path]);
    }
    done.add(file.path);
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(circles, []);
});

test('an index.ts lists named exports and nothing else', () => {
  const doors = files.filter((file) => /^[^/]+\/index\.ts$/.test(file.path));
  const rest = doors.map((file) => [
    file.path,
    file.code.replace(/^export (type )?\{[^}]*\} from '[^']+';$/gm, '').trim(),
  ]);
  assert.deepEqual(
    rest.filter(([, left]) => left !== ''),
    [],
  );
});

test('libraries are used by their rooms alone, and each is one that we know', () => {
  const wrong = every((file) =>
    file.imports.flatMap(({ specifier }) => {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) return [];
      const name = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/');
      return LIBRARIES.get(name)?.includes(file.room) ? [] : [`imports ${specifier}`];
    }),
  );
  assert.deepEqual(wrong, []);
});

test('nothing in src/ uses child_process', () => {
  assert.deepEqual(
    every((file) => (file.code.includes('child_process') ? ['child_process'] : [])),
    [],
  );
});

test('only what is rendered reaches the console, and only the entry ends the process', () => {
  const wrong = every((file) => {
    const found = [];
    // The entry leads the words of libraries to stderr.
    const code = file.path === 'main.ts' ? file.code.replace('console.log = console.error', '') : file.code;
    if (/\bconsole\s*[.[]/.test(code) && !file.path.startsWith('cli/render/')) found.push('console');
    if (/\bprocess\s*\.\s*(exit|reallyExit|abort)\s*\(/.test(file.code) && file.path !== 'main.ts')
      found.push('process.exit');
    return found;
  });
  assert.deepEqual(wrong, []);
});

test('no file but the table of errors is longer than 300 lines', () => {
  const long = every(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    return lines > 300 && path !== 'errors.ts' ? [`${lines} lines`] : [];
  });
  assert.deepEqual(long, []);
});

test('nothing is left to do', () => {
  assert.deepEqual(
    every((file) => file.text.match(/\b(TODO|FIXME|XXX|HACK)\b/g) ?? []),
    [],
  );
});
