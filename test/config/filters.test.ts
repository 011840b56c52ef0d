import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pattern } from '../../src/config/index.ts';
import cases from './cases/filters.json' with { type: 'json' };
import { config, problems } from './support.ts';

interface Row {
  what: string;
  pattern: string;
  matches?: string[];
  refused?: boolean;
}

for (const list of ['include', 'exclude'] as const) {
  for (const { what, pattern, matches, refused } of cases.rows as Row[]) {
    test(`${what} in ${list}.tools ${refused ? 'is refused by key and pattern' : 'means what it means in RE2'}`, () => {
      const text = JSON.stringify({ [list]: { tools: [pattern] } });
      if (refused) {
        const [problem] = problems(text);
        assert.equal(problem?.key, `${list}.tools[0]`);
        assert.ok(problem.rule.includes(JSON.stringify(pattern)), problem.rule);
        return;
      }
      const [read] = config(text)[list].tools;
      for (const time of ['first', 'second']) {
        const found = cases.names.filter((name) => read?.test(name));
        assert.deepEqual(found, matches, `${time} time`);
      }
    });
  }
}

test('a pattern that sends a backtracking engine astray answers at once', () => {
  const pattern = new Pattern('^(a+)+$');
  const begun = performance.now();
  assert.equal(pattern.test(`${'a'.repeat(40)}!`), false);
  assert.ok(performance.now() - begun < 100);
});

test('the filters of remote agents, of MCP servers and of what is served are judged too', () => {
  for (const [text, key] of [
    ['remote_tools: [{name: a, include: {tools: ["(["]}}]', 'remote_tools[0].include.tools[0]'],
    ['mcp_servers: [{name: a, command: b, exclude: {tools: [ok, "(["]}}]', 'mcp_servers[0].exclude.tools[1]'],
    ['expose: {agent: {tools: {exclude: {tools: ["(["]}}}}', 'expose.agent.tools.exclude.tools[0]'],
  ]) {
    assert.ok(problems(String(text)).some((problem) => problem.key === key));
  }
});
