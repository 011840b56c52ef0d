import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigInvalidError } from '../../src/errors.ts';
import { config, firstLine, parse, problems, TOOLS } from './support.ts';

test('the report shows place, key, rule, source line with a caret, and the remedy', () => {
  const text = TOOLS.replace('serve_tools', 'serve_tool');
  assert.throws(
    () => parse(text),
    (error) => {
      assert.ok(error instanceof ConfigInvalidError);
      assert.equal(error.exitCode, 1);
      assert.equal(
        error.message,
        [
          'agent.yaml:7:7: expose.agent.a2a.serve_tool is not a known key',
          '     7 |       serve_tool: true',
          '       |       ^',
          '    Did you mean serve_tools?',
        ].join('\n'),
      );
      return true;
    },
  );
});

test('everything wrong is reported at once, each key once', () => {
  const keys = problems(`Identity: a
identity: a b
global_flags: [x]
expose:
  agent:
    a2a: {serve_tool: 1, tool_timeout: 30, max_concurrent_tools: 1.5}
include: {tools: ["(["]}
`).map(({ key }) => key);
  assert.deepEqual(keys.toSorted(), [
    'Identity',
    'expose.agent.a2a.max_concurrent_tools',
    'expose.agent.a2a.serve_tool',
    'expose.agent.a2a.tool_timeout',
    'global_flags',
    'identity',
    'include.tools[0]',
  ]);
});

test('the most important problem comes first: the file, then values, then what keys and the command need', () => {
  const pieces: [string, string][] = [
    ['Nope: 1', 'Nope'],
    ['harness: {pii: {mode: x}, tool_timeout: -1s}', 'harness.pii.mode'],
    ['llm: {reasoning_effort: "0"}', 'llm.reasoning_effort'],
    ['global_flags: [a]', 'global_flags'],
    ['identity: a.b', 'identity'],
    ['remote_tools: [{name: x, exclude: {tags: [t]}}]', 'remote_tools[0].exclude.tags'],
    ['include: {tools: ["(["]}', 'include.tools[0]'],
  ];
  for (let from = 0; from < pieces.length; from++) {
    const rest = pieces.slice(from);
    // Written in reverse, so that the order of the file is not what decides.
    const text = rest
      .map(([yaml]) => yaml)
      .reverse()
      .join('\n');
    assert.equal(problems(text)[0]?.key, rest[0]?.[1]);
  }
  for (const mode of ['agent', 'serve', 'lenient'] as const) {
    assert.equal(problems('harness: {pii: {mode: x}}', { mode })[0]?.key, 'harness.pii.mode');
  }
  const both = 'harness: {tool_timeout: -1s, pii: {mode: x}}';
  assert.deepEqual(
    problems(both).map(({ key }) => key),
    ['harness.pii.mode', 'harness.tool_timeout'],
  );
});

test('a key that is unknown at any level is refused with a suggestion or the keys that are known', () => {
  for (const [text, remedy] of [
    ['Identity: a', 'Did you mean identity?'],
    ['identitty: a', 'Did you mean identity?'],
    ['serve_tools: true', 'That key belongs at expose.agent.a2a.serve_tools.'],
    ['expose: {agent: {agent_to_agent: {}}}', 'Remove it. Known here: tools, mcp, a2a, jobs.'],
    ['llm: {budget: {max_tokns: 1}}', 'Did you mean max_tokens?'],
    ['remote_tools: [{name: a, alais: b}]', 'Did you mean alias?'],
    ['expose: {agent: {tools: {include: {tags: [a], tag: 1}}}}', 'Did you mean tags?'],
    ['base: &b {a: 1}', 'Remove it. Known here:'],
  ]) {
    const [problem] = problems(String(text));
    assert.match(String(problem?.rule), /not a known key/);
    assert.ok(problem?.remedy.startsWith(String(remedy)), problem?.remedy);
    assert.ok(Number(problem?.line) >= 1 && Number(problem?.column) >= 1);
  }
});

test('names that objects have anyway are unknown keys like others', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.equal(problems(`${name}: {polluted: 1}`)[0]?.key, name);
    assert.equal(problems(`harness: {${name}: 1}`)[0]?.key, `harness.${name}`);
  }
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test('a key without a value is unknown all the same when nobody knows it', () => {
  assert.match(firstLine('nope:'), /nope is not a known key/);
});

test('a key written twice is refused with both places', () => {
  const [problem] = problems('identity: a\napplication_path: x\nidentity: b\n');
  assert.match(firstLine('identity: a\nidentity: b\n'), /^agent.yaml:2:1 identity is written twice/);
  assert.match(String(problem?.rule), /first at line 1, column 1/);
  assert.equal(problem?.line, 3);
  assert.match(
    firstLine('expose: {agent: {a2a: {serve_tools: true, serve_tools: false}}}'),
    /serve_tools is written twice/,
  );
});

test('text that is no YAML, and YAML that is no mapping, is refused with its place', () => {
  assert.match(firstLine('a: [\n'), /^agent.yaml:\d+:\d+.*not valid YAML/);
  assert.match(firstLine('- a\n- b\n'), /^agent.yaml:1:1 .*must be a mapping/);
  assert.match(firstLine('just text'), /must be a mapping/);
  assert.match(firstLine('identity: *nowhere'), /refers to the anchor "nowhere"/);
  assert.match(firstLine(`a: ${'['.repeat(20_000)}`), /nested too deeply|not valid YAML/);
});

test('an empty file, an empty document and JSON are configurations', () => {
  for (const text of ['', '# nothing\n', '---\n', 'null', '{}']) {
    assert.equal(config(text).identity, 'fisk-ai', text);
  }
  assert.equal(config(JSON.stringify({ identity: 'json' })).identity, 'json');
});

test('the text of a file is taken as it stands: no variable, include or template of it is resolved', () => {
  const env = { HOME: '/home/op', NAME: 'x' };
  const text = `$HOME \${NAME} {{ .x }}`;
  const read = config(`system_prompt: "${text}"\nnats_context: $NAME`, { env });
  assert.deepEqual([read.systemPrompt, read.natsContext], [text, '$NAME']);
  assert.match(firstLine('identity: !include other.yaml'), /identity/);
});

test('reserved agents are accepted and not judged', () => {
  assert.doesNotThrow(() => config('remote_agents: [{name: "a b", alias: "*"}, {}]'));
});

test('anchors and aliases work', () => {
  const read = config('harness: {confirm_tags: &tags [risky]}\ninclude: {tags: *tags}\n');
  assert.deepEqual(read.include.tags, ['risky']);
});

test('an alias to what holds it does not hang', () => {
  assert.ok(problems('harness: &h {memory: *h}').length > 0);
  assert.doesNotThrow(() => config('harness: {memory: {options: &o {self: *o}}}'));
});

test('a second document is warned about, and so is a switch without a value', () => {
  const { notices } = parse('identity: a\n---\nidentity: b\n');
  assert.match(notices.join('\n'), /agent.yaml:\d+: only the first document/);
  for (const [text, key] of [
    ['expose: {agent: {a2a: }}', 'expose.agent.a2a'],
    ['expose: {agent: {mcp: }}', 'expose.agent.mcp'],
    ['expose: {agent: {jobs: ~}}', 'expose.agent.jobs'],
    ['expose: {agent: {a2a: {request_timeout: 1s, prompts: }}}', 'expose.agent.a2a.prompts'],
    ['llm: {thinking: }', 'llm.thinking'],
    ['harness: {knowledge: {embeddings: null}}', 'harness.knowledge.embeddings'],
  ]) {
    const found = parse(String(text)).notices;
    assert.equal(found.length, 1, text);
    assert.match(String(found[0]), new RegExp(`^agent.yaml:1:\\d+: ${key} has no value`));
    const defaults = key !== 'expose.agent.a2a';
    assert.equal(found[0]?.includes('{} for its defaults'), defaults, 'an empty a2a block would be refused');
  }
});

test('the presence of a block and its absence are told apart', () => {
  const on = config('expose: {agent: {mcp: {}, jobs: {}, a2a: {prompts: {}}}}\nllm: {thinking: {}}');
  assert.ok(on.expose.mcp && on.expose.jobs && on.expose.a2a.prompts && on.expose.a2a.present);
  assert.deepEqual(on.llm.thinking, { enabled: false });
  const off = config('expose: {agent: {mcp: , jobs: , a2a: }}\nllm: {thinking: }');
  assert.equal(off.expose.mcp ?? off.expose.jobs ?? off.expose.a2a.prompts ?? off.llm.thinking, undefined);
  assert.equal(off.expose.a2a.present, false);
});

test('no bound on the tools of runs is warned about', () => {
  assert.match(parse('harness: {tool_timeout: 0s}').notices.join(), /harness.tool_timeout is 0: .*no time limit/);
  assert.deepEqual(parse('').notices, []);
});

test('a long line is shown around the place, and control characters stay out of the terminal', () => {
  const [long] = problems(`{identity: ok, ${' '.repeat(400)}nope: 1}`);
  const [line = '', caret = ''] = String(long?.excerpt).split('\n');
  assert.ok(line.length < 130);
  assert.equal(line[caret.indexOf('^')], 'n');
  assert.throws(
    () => parse('"a\\u001b[31mb\\u202e": "\u202e\u009b31mb"'),
    (error) => !/[^\P{Cc}\n]|\p{Cf}/u.test((error as Error).message),
  );
});

test('what is wrong with the text is said of the file, and a merge key by its name', () => {
  const message = (text: string) => {
    try {
      parse(text);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  assert.match(message('a: ['), /^agent.yaml:\d+:\d+: the file is not valid YAML: /);
  assert.match(message('- a'), /^agent.yaml:1:1: the file must be a mapping/);
  assert.match(message('base: &b {}\nllm: {<<: *b}'), /llm\.<< is not a known key[\s\S]*Merge keys are not supported/);
});

test('a warning is not lost when something else is refused', () => {
  assert.throws(() => parse('expose: {agent: {a2a: {prompts: }}}', { mode: 'serve' }), {
    message:
      /^agent.yaml:1:\d+: expose\.agent\.a2a enables nothing[\s\S]*\nwarning: agent.yaml:1:\d+: expose\.agent\.a2a\.prompts has no value/,
  });
});
