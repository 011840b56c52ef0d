import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderCard } from '../../src/cli/render/card.ts';
import type { AgentCard } from '../../src/protocol/index.ts';

const head = `Agent Card for nats-tools:

        Agent: nats-tools
      Version: 1.2.0
    Protocols: io.choria.fisk-ai.v1
`;

function card(more: Partial<AgentCard>): AgentCard {
  const body = { name: 'nats-tools', version: '1.2.0', protocols: ['io.choria.fisk-ai.v1'], ...more };
  return body as AgentCard;
}

test('the head of a card has exactly the promised form, then a blank line and the tools', () => {
  const text = renderCard('nats-tools', card({ tools: [{ name: 'stream_ls', description: 'Lists streams' }] }));
  assert.equal(text, `${head}\n    Tool       Description\n    stream_ls  Lists streams\n`);
});

test('an agent without tools is said to serve none', () => {
  assert.equal(renderCard('nats-tools', card({})), `${head}\n    It serves no tools to peers.\n`);
});

test('model, description and exported content are shown when the card has them', () => {
  const text = renderCard(
    'x',
    card({
      model: 'some-model',
      description: 'First line\nSecond line',
      telemetry_content: true,
      protocols: ['a', 'b'],
    }),
  );
  assert.match(
    text,
    /^ {10}Model: some-model\n {4}Description: First line\n {17}Second line\n {6}Protocols: a\n {17}b\n/m,
  );
  assert.match(text, /Telemetry: exports conversation content/);
});

test('descriptions are folded to one line and cut after 60 characters, counted as a reader counts', () => {
  const sixty = 'é'.repeat(60);
  const tools = [
    { name: 'a', description: `one\n\ttwo   three` },
    { name: 'b', description: sixty },
    { name: 'c', description: `${sixty}x` },
    { name: 'd', description: '😀'.repeat(61) },
    { name: 'e' },
  ];
  const lines = renderCard('x', card({ tools })).split('\n').slice(-7, -1);
  assert.deepEqual(lines, [
    '    Tool  Description',
    '    a     one two three',
    `    b     ${sixty}`,
    `    c     ${sixty}...`,
    `    d     ${'😀'.repeat(60)}...`,
    '    e',
  ]);
});

test('only the first paragraph of a description is in the table, and never the tags behind it', () => {
  const tools = [
    { name: 'a', description: 'Adds a part\n\nGrade replaces what was known\n\nTags: impact:rw' },
    { name: 'b', description: 'Lists\nparts\n\nTags: impact:ro, ai:read_only' },
  ];
  const lines = renderCard('x', card({ tools })).split('\n').slice(-3, -1);
  assert.deepEqual(lines, ['    a     Adds a part', '    b     Lists parts']);
});

test('nothing a peer writes can move the cursor, restyle the terminal or turn the text around', () => {
  const evil = '\u001b[31mred\u001b[0m\u0007 \u009b2J a\u202eb \u001b]0;title\u0007';
  const text = renderCard('x', card({ name: evil, description: evil, tools: [{ name: evil, description: evil }] }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});
