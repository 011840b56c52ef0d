import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enabledEndpoints, nothingEnabled } from '../../src/config/index.ts';
import { NothingEnabledError } from '../../src/errors.ts';
import { config, parse, problems, TOOLS } from './support.ts';

/** What a command says about a file, as `key rule | remedy`, the most important first. */
function said(mode: 'agent' | 'serve' | 'lenient', text: string): string[] {
  return problems(text, { mode }).map(({ key, rule, remedy }) => `${key} ${rule} | ${remedy}`);
}

const PROMPTS = 'expose: {agent: {a2a: {prompts: {}}}}';
const JOBS = 'expose: {agent: {jobs: {}}}';
const TOOLS_ON = 'expose: {agent: {a2a: {serve_tools: true}}}';

test('serving tools alone needs an application, a chosen identity and a context, and nothing else', () => {
  assert.equal(config(TOOLS, { mode: 'serve' }).expose.a2a.serveTools, true);
  const all = said('serve', TOOLS_ON);
  assert.match(String(all[0]), /serve_tools needs nats_context.*connection it answers on/);
  assert.match(String(all[1]), /serve_tools needs application_path: built-in tools are never served/);
  assert.match(String(all[2]), /serve_tools needs an identity that was chosen.*NATS subject and the queue group/);
  assert.equal(all.length, 3);
});

test('an identity that was derived is no address, and one given by the flag is', () => {
  const text = TOOLS.replace('identity: nats-tools\n', '');
  assert.match(String(said('serve', text)[0]), /identity/);
  const { identity, identityNamed } = config(text, { mode: 'serve', flags: { identity: 'by-flag' } });
  assert.deepEqual([identity, identityNamed], ['by-flag', true]);
  assert.deepEqual([config(text).identity, config(text).identityNamed], ['nats', false]);
  assert.deepEqual([config('').identity, config('').identityNamed], ['fisk-ai', false]);
  assert.equal(config('identity: ""\napplication_path: /a/tool').identity, 'tool');
});

test('a derived identity with other characters is refused in every mode, and says to write one', () => {
  for (const mode of ['lenient', 'serve', 'agent'] as const) {
    const found = said(mode, 'application_path: /opt/my.tool');
    assert.ok(
      found.some((text) =>
        /application_path "my.tool", derived from application_path.*queue group \| Write an identity/.test(text),
      ),
      found.join('\n'),
    );
  }
});

test('an a2a block that enables nothing is an error of serve alone, and names the three ways out', () => {
  for (const block of [
    '{}',
    '{serve_tools: false}',
    '{tool_timeout: 1s}',
    '{request_timeout: 1s, max_concurrent_tools: 1}',
  ]) {
    const text = `expose: {agent: {a2a: ${block}}}`;
    const [first] = said('serve', text);
    assert.match(String(first), /a2a enables nothing.*serve_tools: true.*prompts.*request_timeout/);
    assert.doesNotThrow(() => parse(text));
  }
  for (const misspelt of ['{serve_tool: true}', '{serve_tools: yes}']) {
    assert.equal(said('serve', `expose: {agent: {a2a: ${misspelt}}}`).length, 1, 'only what it really is');
  }
  assert.doesNotThrow(() => parse('expose: {agent: {a2a: {request_timeout: 1s}}}', { mode: 'serve' }));
  assert.doesNotThrow(() => parse('expose: {agent: {a2a: {request_timeout: 1s, prompts: }}}', { mode: 'serve' }));
});

test('prompts and jobs say what they miss, each in the name of the block that asks', () => {
  assert.deepEqual(
    said('serve', PROMPTS).map((text) => text.split(/,| which|:| that/)[0]),
    [
      'expose.agent.a2a.prompts needs nats_context',
      'expose.agent.a2a.prompts needs an identity',
      'expose.agent.a2a.prompts needs system_prompt',
      'expose.agent.a2a.prompts needs llm.model',
      'expose.agent.a2a.prompts is not available in this version of fisk serve | Remove the block.',
    ],
  );
  const jobs = said('serve', JOBS);
  assert.match(String(jobs[0]), /jobs needs an identity/);
  assert.match(String(jobs[1]), /jobs needs system_prompt/);
  assert.match(String(jobs[2]), /jobs needs llm.model/);
  assert.match(String(jobs[3]), /jobs needs a NATS context.*top level, or expose.agent.jobs.nats_context/);
});

test('remote tools need a context and a name, and cannot be excluded by tag', () => {
  const found = said('serve', 'remote_tools: [{alias: x y, exclude: {tags: [a]}}, {name: "a b"}, {name: ""}]');
  assert.ok(found.some((text) => /^remote_tools needs nats_context/.test(text)));
  assert.ok(found.some((text) => /^remote_tools\[0\].name is missing/.test(text)));
  assert.ok(found.some((text) => /^remote_tools\[0\].alias may hold only .*"x y"/.test(text)));
  assert.ok(found.some((text) => /^remote_tools\[0\].exclude.tags .*carry no tags.*by name/.test(text)));
  assert.ok(found.some((text) => /^remote_tools\[1\].name may hold only .*"a b"/.test(text)));
  assert.ok(found.some((text) => /^remote_tools\[2\].name must not be empty/.test(text)));
  const { remoteTools } = config('remote_tools: [{name: a}, {name: b, alias: c, include: {tools: [x]}}]');
  const { notices } = parse('remote_tools: [{name: a}, {name: b, include: {tags: [x]}}]');
  assert.equal(notices.length, 1);
  assert.match(
    String(notices[0]),
    /^agent.yaml:1:\d+: remote_tools\[1\].include.tags has no effect: cards carry no tags/,
  );
  assert.deepEqual(
    remoteTools.map(({ name, alias, include }) => [name, alias, include.tools.length]),
    [
      ['a', 'a', 0],
      ['b', 'c', 1],
    ],
  );
});

test('global flags need an application in every mode', () => {
  for (const mode of ['lenient', 'serve', 'agent'] as const) {
    assert.match(String(said(mode, 'global_flags: [a]')[0]), /global_flags needs application_path/);
  }
  assert.doesNotThrow(() => parse('global_flags: ["", "--"]'));
});

test('a run needs a model and a system prompt, but for a file that serves MCP alone', () => {
  assert.deepEqual(said('agent', ''), [
    'system_prompt is missing or empty | Add system_prompt.',
    'llm.model is missing or empty | Add llm.model.',
  ]);
  assert.deepEqual(said('agent', 'expose: {agent: {mcp: {}}}'), ['llm.model is missing or empty | Add llm.model.']);
  assert.equal(said('agent', 'expose: {agent: {mcp: {}, a2a: {prompts: {}}}}').length, 2);
  assert.doesNotThrow(() => parse('{system_prompt: " ", llm: {model: m}}', { mode: 'agent' }));
  assert.deepEqual(
    said('agent', 'remote_tools: [{name: a}]\nexpose: {agent: {jobs: {}}}').map(
      (text) => text.split(/ for| to reach/)[0],
    ),
    [
      'remote_tools needs nats_context',
      'system_prompt is missing or empty | Add system_prompt.',
      'expose.agent.jobs needs a NATS context',
      'llm.model is missing or empty | Add llm.model.',
    ],
  );
});

test('what is not built yet ends serve by name, unless telemetry is vetoed', () => {
  const rest = 'identity: a\nnats_context: c\nsystem_prompt: s\nllm: {model: m}\napplication_path: /a\n';
  const blocks: [string, string][] = [
    [PROMPTS, 'expose.agent.a2a.prompts'],
    [JOBS, 'expose.agent.jobs'],
    [`${TOOLS_ON}\ntelemetry: {enabled: true}`, 'telemetry.enabled'],
  ];
  for (const [block, key] of blocks) {
    assert.deepEqual(
      problems(rest + block, { mode: 'serve' }).map((problem) => problem.key),
      [key],
    );
    assert.doesNotThrow(() => parse(rest + block));
  }
  const exporting = `${rest}${TOOLS_ON}\ntelemetry: {enabled: true}`;
  for (const request of [
    { env: { NO_TELEMETRY: 'yes' } },
    { env: { OTEL_SDK_DISABLED: 'true' } },
    { env: {}, flags: { 'no-telemetry': 'true' } },
  ]) {
    assert.doesNotThrow(() => parse(exporting, { mode: 'serve', ...request }));
  }
  assert.throws(() => parse(exporting, { mode: 'serve', env: { NO_TELEMETRY: 'false', OTEL_SDK_DISABLED: 'yes' } }));
});

test('a context that is given by other means may be absent from the file', () => {
  const text = TOOLS.replace('nats_context: production\n', '');
  assert.equal(problems(text, { mode: 'serve' }).length, 1);
  assert.doesNotThrow(() => parse(text, { mode: 'serve', contextOptional: true }));
});

test('a file that enables nothing is accepted, and the error for it shows each block to add', () => {
  for (const text of ['identity: a', 'expose: {agent: {a2a: {request_timeout: 1s}}}', 'expose: {agent: {a2a: }}']) {
    assert.deepEqual(enabledEndpoints(config(text, { mode: 'serve' })), []);
  }
  assert.deepEqual(enabledEndpoints(config('expose: {agent: {jobs: {}, a2a: {serve_tools: true, prompts: {}}}}')), [
    'jobs',
    'prompts',
    'tools',
  ]);
  const error = nothingEnabled('agent.yaml');
  assert.ok(error instanceof NothingEnabledError);
  for (const part of ['agent.yaml', 'serve_tools: true', 'prompts: {}', 'jobs: {}', 'FISK_AI', 'fisk-ai:run']) {
    assert.ok(error.message.includes(part), part);
  }
  assert.match(error.message, /serve_tools: true[\s\S]*Later versions[\s\S]*prompts: {}[\s\S]*jobs: {}/);
});

test('a key that is misspelt is not missed as well', () => {
  const file = 'identity: a\napplication_path: x\nnats_context: n\nexpose: {agent: {a2a: {serve_tools: true}}}';
  for (const [key, misspelt] of [
    ['nats_context', 'nats_contxt'],
    ['application_path', 'aplication_path'],
    ['identity', 'identiti'],
  ] as const) {
    assert.deepEqual(said('serve', file.replace(key, misspelt)), [
      `${misspelt} is not a known key | Did you mean ${key}?`,
    ]);
  }
});

test('a missing context is answered with the way that needs none', () => {
  const [first] = said('serve', 'identity: a\napplication_path: x\nexpose: {agent: {a2a: {serve_tools: true}}}');
  assert.match(String(first), /needs nats_context.*--dev/);
});

test('built-in tools over MCP need knowledge, and only two can be listed', () => {
  assert.match(
    String(said('lenient', 'expose: {agent: {mcp: {builtins: [knowledge_search]}}}')[0]),
    /builtins lists knowledge_search, but knowledge is off.*harness.knowledge/,
  );
  const both =
    'harness: {knowledge: {enabled: true}}\nexpose: {agent: {mcp: {builtins: [" knowledge_search ", memory_read]}}}';
  assert.match(
    String(said('lenient', both)[0]),
    /builtins\[1\] .*"memory_read".*knowledge_search and knowledge_enumerate/,
  );
});

test('MCP servers are judged in every mode, each and against each other', () => {
  const found = said(
    'lenient',
    `mcp_servers:
  - {name: both, command: a, url: "https://x"}
  - {name: neither}
  - {name: stdio, command: a, headers: {A: b}}
  - {name: http, url: "https://x", args: [a], env: {A: b}, cwd: /tmp}
  - {name: http, url: "http://far.example/"}
  - {name: info, url: "https://user@x/\${KEY}"}
  - {name: h, url: "https://x/?k=\${KEY}", headers: {Host: x, "a b": c, Mcp-Session-Id: d}}
  - {name: c, command: a, cwd: rel, startup_timeout: 11m, include: {tags: [x]}}
  - {name: d, command: a, alias: peer, confirm_tags: [x]}
  - {name: e, command: a, alias: same}
  - {name: f, command: a, alias: same, expose: {}}
remote_tools: [{name: peer}]
`,
  ).join('\n');
  for (const part of [
    'mcp_servers[0] must have exactly one of command and url',
    'mcp_servers[1] must have exactly one of command and url',
    'mcp_servers[2].headers only goes with url',
    'mcp_servers[3].args only goes with command',
    'mcp_servers[3].cwd only goes with command',
    'mcp_servers[3].env only goes with command',
    'mcp_servers[4].name is used twice',
    'mcp_servers[4].url must use https',
    'mcp_servers[5].url must not hold a user name',
    'mcp_servers[6].headers must not hold Host',
    'mcp_servers[6].headers holds a name that is no header name',
    'mcp_servers[6].headers must not hold Mcp-Session-Id',
    'mcp_servers[7].cwd must be an absolute path',
    'mcp_servers[7].startup_timeout must not be above 10m',
    'mcp_servers[7].include.tags cannot work',
    'mcp_servers[8].alias "peer" is taken by remote_tools peer',
    'mcp_servers[8].confirm_tags does not belong here',
    'mcp_servers[10].alias "same" is taken by mcp_servers e',
    'mcp_servers[10].expose does not belong here',
  ]) {
    assert.ok(found.includes(part), `${part}\n${found}`);
  }
  assert.doesNotMatch(found, /mcp_servers\[9\]/);
  const [server] = config(`mcp_servers: [{name: a, command: b, args: [-x], env: {A: "\${B}"}}]`).mcpServers;
  assert.deepEqual(
    [server?.command, server?.args, server?.env.get('A'), server?.startupTimeoutMs],
    ['b', ['-x'], `\${B}`, 30_000],
  );
});

test('options of a store stay as they are written, for the store to judge', () => {
  const { harness } = config(
    'harness: {memory: {options: {prefix: "", later: [1, {a: b}]}}, sessions: {backend: other, options: {x: 1}}}',
  );
  assert.deepEqual(
    { ...harness.memory.options },
    { prefix: '', later: [1, Object.assign(Object.create(null), { a: 'b' })] },
  );
  assert.deepEqual([harness.sessions.backend, { ...harness.sessions.options }], ['other', { x: 1 }]);
});
