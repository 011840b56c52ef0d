import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FiskError } from '../../src/errors.ts';
import { parse, TOOLS } from './support.ts';

const RICH = `${TOOLS}    jobs: {workers: 2}
    mcp: {port: 80, builtins: []}
include: {tools: [^a, "b$"], tags: ["", x]}
global_flags: [--context]
harness: &h {tool_timeout: 1m, confirm_tags: [a], memory: {options: {a: [1, 2]}}}
remote_tools: [{name: a, alias: b}]
mcp_servers: [{name: c, command: d, env: {A: "\${B}"}}]
llm: {budget: {max_tokens: 5}, thinking: {}}
telemetry: {sample_ratio: 0.5}
`;

const pieces = fc.constantFrom(
  ...[
    '',
    ' ',
    '\n',
    '\t',
    ':',
    ': ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a ',
    '*a',
    '*h',
    '!x ',
    '? ',
    '|\n',
    '---\n',
    '...\n',
  ],
  ...[
    'null',
    '~',
    'true',
    '-1',
    '1e999',
    '.nan',
    '9'.repeat(50),
    '__proto__',
    'constructor: 1',
    '<<: *h',
    '%YAML 9.9\n',
    '\u0000',
    '\ud800',
  ],
);

const mutated = fc
  .array(
    fc.record({ at: fc.nat(RICH.length), cut: fc.nat(12), piece: fc.oneof(pieces, fc.string({ maxLength: 4 })) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((changes) =>
    changes.reduce((text, { at, cut, piece }) => text.slice(0, at) + piece + text.slice(at + cut), RICH),
  );

test('the text that is mutated is a valid configuration', () => {
  assert.equal(parse(RICH).config.mcpServers.length, 1);
});

test('no text makes the reading of a configuration fail in any way that has no name', () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 4, arbitrary: mutated }, fc.string()), (text) => {
      for (const mode of ['lenient', 'serve'] as const) {
        try {
          const { config } = parse(text, { mode });
          assert.match(config.identity, /^[a-zA-Z0-9_-]+$/);
          assert.ok(Number.isFinite(config.expose.a2a.toolTimeoutMs) && config.expose.a2a.toolTimeoutMs > 0);
        } catch (error) {
          assert.ok(error instanceof FiskError, (error as Error).stack);
          assert.doesNotMatch(error.message, /\[object Object/);
        }
      }
    }),
    { interruptAfterTimeLimit: 8000, numRuns: 600 },
  );
});
