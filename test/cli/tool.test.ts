import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTool } from '../../src/cli/render/tool.ts';

const tool = {
  name: 'part_add',
  description: 'Adds a part\n\nGrade and weight replace\nwhat was known.\n\nTags: impact:rw, ai:additive',
  behavior: { read_only: false, destructive: false, idempotent: true },
  input_schema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name of the part' },
      count: { type: 'integer', minimum: 0, maximum: 9, default: 1, description: 'How many' },
      grade: { type: 'string', enum: ['a', 'b', ''] },
      fragile: { type: 'boolean' },
      hold: { type: 'string', pattern: '^[0-9]+s$' },
      labels: { type: 'array', items: { type: ['string', 'number', 'null'] }, description: 'Labels\nto put on it' },
      note: { type: 'object' },
      odd: true,
    },
    required: ['name'],
  },
};

test('a tool is shown with its whole description, its tags, its effects and what each argument takes', () => {
  assert.equal(
    renderTool('depot', tool),
    `Tool part_add of depot:

    Description: Adds a part
                 Grade and weight replace
                 what was known.
           Tags: impact:rw, ai:additive
       Behavior: not read only, not destructive, idempotent

  Arguments:

             name: text, required
                   Name of the part
            count: whole number, at least 0, at most 9, default 1
                   How many
            grade: one of a, b, ""
          fragile: true or false
             hold: text, matching ^[0-9]+s$
           labels: list, each text or number
                   Labels
                   to put on it
             note: object
              odd: any value
`,
  );
});

test('a tool that says nothing is shown as just that', () => {
  assert.equal(
    renderTool('lab', { name: 'x' }),
    'Tool x of lab:\n\n    Behavior: nothing is said about its effects\n\n  Arguments:\n\n    It takes none.\n',
  );
});

test('whatever a peer puts into a schema is shown in words that cannot restyle the terminal', () => {
  const evil = '\u001b[31mred\u0007\u202e';
  const schema = {
    properties: {
      [evil]: { type: evil, description: evil, enum: [evil, null, {}] },
      list: { type: 'array', items: 7 },
    },
    required: 'name',
  };
  const text = renderTool('x', { name: evil, description: evil, input_schema: schema });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.match(text, /red: one of \S*red\S*, null, \{\}\n/);
  assert.match(text, /list: list\n/);
});
