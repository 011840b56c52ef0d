import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  commandResult,
  denyingPrompter,
  describeCall,
  inputFromText,
  isArgumentValidator,
  isBehaviorDescriber,
  isCommandLineRenderer,
  isConfirmable,
  isDescriber,
  isPreparable,
  isTagged,
  resultText,
  type Tool,
} from '../../src/tools/index.ts';
import { demo } from './demo.ts';
import { load, toolOf } from './loading.ts';

const members = {
  name: 'x',
  description: 'X',
  modelDescription: 'X',
  inputSchema: { type: 'object' },
  definition: () => ({ name: 'x', description: 'X', inputSchema: { type: 'object' }, deferLoading: false }),
  execute: async () => ({ output: 'text' }),
};

// These do not run; they are here for the type check, which fails when one of the two errors is not there.
// @ts-expect-error a tool that does not say whether peers may have it is no tool
export const silentAboutPeers: Tool = { ...members, mcpExposable: false };
// @ts-expect-error a tool that does not say whether MCP clients may have it is no tool
export const silentAboutClients: Tool = { ...members, a2aExposable: false };

const plain: Tool = { ...members, mcpExposable: false, a2aExposable: false };
const guards = {
  isArgumentValidator,
  isBehaviorDescriber,
  isCommandLineRenderer,
  isConfirmable,
  isDescriber,
  isPreparable,
  isTagged,
};

suite('what a kind of tool can answer', () => {
  for (const [name, guard] of Object.entries(guards)) {
    test(`${name}: a command can, a tool without the member cannot`, async () => {
      assert.equal(guard(toolOf(await load(demo), 'nul')), true);
      assert.equal(guard(plain), false);
    });
  }

  test('a tool that cannot describe its calls is traced by name and of no known kind', () => {
    const { kind, present, display } = describeCall(plain, inputFromText('{}'));
    assert.deepEqual([kind, present, display], ['unknown', 'traced', 'x']);
  });

  test('a command is defined by its name, what a model is told, and the schema that is shown', async () => {
    const tool = toolOf(await load(demo), 'copy');
    const { name, modelDescription: description, inputSchema } = tool;
    assert.deepEqual(tool.definition(true), { name, description, inputSchema, deferLoading: true });
  });

  test('a command may be shown everywhere, and is described as the command it becomes', async () => {
    const tool = toolOf(await load(demo), 'copy');
    assert.deepEqual([tool.mcpExposable, tool.a2aExposable], [true, true]);
    const call = describeCall(tool, inputFromText('{"source":"S one","destination":"D"}'));
    assert.equal(call.display, "copy -- 'S one' D");
    assert.deepEqual([call.kind, call.present, call.needsWorkDir], ['application', 'command', true]);
    assert.equal(describeCall(tool, inputFromText('{"bogus":1}')).display, 'copy');
  });

  test('a call that leaves out what is required is told which names, null counting as left out', async () => {
    const tool = toolOf(await load(demo), 'copy');
    assert.deepEqual(tool.missingRequired(inputFromText('{"source":null}')), ['source', 'destination']);
    assert.deepEqual(tool.missingRequired(inputFromText('{"source":"","destination":[]}')), []);
    assert.deepEqual(tool.missingRequired({ value: ['x'], source: () => ['x'] }), []);
    assert.match(
      tool.missingRequiredMessage(['destination']),
      /^copy: .*"destination" is required.*Required: source, dest/,
    );
  });
});

suite('the prompter of a surface with nobody behind it', () => {
  test('denies everything and says that this is no answer of a person', async () => {
    assert.equal(denyingPrompter.canPrompt, false);
    const answers = await Promise.all([
      denyingPrompter.approveCommand({ callId: '1', command: 'rm', display: 'rm', tag: 'ai:confirm' }),
      denyingPrompter.confirm('?'),
      denyingPrompter.select('?', ['a']),
      denyingPrompter.input('?', 'a'),
    ]);
    assert.deepEqual(
      answers.map(({ value }) => value),
      ['no', false, -1, null],
    );
    assert.ok(answers.every(({ error }) => error instanceof Error));
  });
});

suite('the result of a call', () => {
  const exec = { command: 'part ls', exitCode: 0, truncated: false };

  test('of a command is one object with the keys in their order, the exit code always there', () => {
    assert.equal(resultText({ output: '<a>&\n', exec }), '{"command":"part ls","exit_code":0,"output":"<a>&\\n"}');
    const killed = { output: 'x', exec: { ...exec, exitCode: -1, truncated: true, signal: 'SIGKILL' } };
    assert.equal(resultText(killed), '{"command":"part ls","exit_code":-1,"output":"x","truncated":true}');
  });

  test('of any other tool is its own text', () => {
    assert.equal(resultText({ output: '{"a":1}' }), '{"a":1}');
    assert.equal(commandResult({ output: 'x' }), undefined);
  });
});
