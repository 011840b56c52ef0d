import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderBanner } from '../../src/cli/render/banner.ts';
import { renderDocument, row } from '../../src/cli/render/layout.ts';
import { styleFor } from '../../src/cli/render/style.ts';

const toolsOnly = `Serving nats-tools/1.2.0:

        Endpoints: a2a
    Agent Context: production
        Telemetry: disabled

  Serving tools over a2a:

          Discovery: choria.fisk-ai.discovery.nats-tools
              Tools: choria.fisk-ai.tool.nats-tools
        Concurrency: 4
       Tool Timeout: 30s
            Exposed: stream_add
                     stream_ls
                     stream_info
`;

const withRuns = `Serving nats-worker/1.2.0:

         Endpoints: asyncjobs/FISK_AI
                    a2a
             Model: claude-sonnet-5
     Queue Context: production
          Sessions: file
         Knowledge: disabled
         Telemetry: disabled
    Tool Directory: /var/lib/fisk-ai
      Tool Timeout: 5m0s
     Queue Workers: 1 (config)

  Serving tools over a2a:

           Discovery: choria.fisk-ai.discovery.nats-worker
               Tools: choria.fisk-ai.tool.nats-worker
         Concurrency: 4
        Tool Timeout: 30s
             Exposed: stream_ls
                      stream_info
`;

const banner = {
  identity: 'nats-tools',
  version: '1.2.0',
  endpoints: ['a2a'],
  agentContext: 'production',
  telemetry: false,
  tools: {
    discovery: 'choria.fisk-ai.discovery.nats-tools',
    tools: 'choria.fisk-ai.tool.nats-tools',
    concurrency: 4,
    toolTimeout: '30s',
    exposed: ['stream_add', 'stream_ls', 'stream_info'],
    withheld: [],
  },
};

test('the banner of a worker that serves only tools has exactly the promised form', () => {
  assert.equal(renderBanner(banner), toolsOnly);
});

test('labels are aligned over the whole document, whatever the longest one is', () => {
  const text = renderDocument({
    heading: 'Serving nats-worker/1.2.0',
    rows: [
      row('Endpoints', 'asyncjobs/FISK_AI', 'a2a'),
      row('Model', 'claude-sonnet-5'),
      row('Queue Context', 'production'),
      row('Agent Context', undefined),
      row('Sessions', 'file'),
      row('Knowledge', 'disabled'),
      row('Telemetry', 'disabled'),
      row('Tool Directory', '/var/lib/fisk-ai'),
      row('Tool Timeout', '5m0s'),
      row('Queue Workers', '1 (config)'),
    ],
    sections: [
      {
        title: 'Serving tools over a2a',
        rows: [
          row('Discovery', 'choria.fisk-ai.discovery.nats-worker'),
          row('Tools', 'choria.fisk-ai.tool.nats-worker'),
          row('Concurrency', '4'),
          row('Tool Timeout', '30s'),
          row('Exposed', 'stream_ls', 'stream_info'),
        ],
      },
    ],
  });
  assert.equal(text, withRuns);
});

for (const [longest, top, section] of [
  ['Protocols', 13, 15],
  ['Agent Context', 17, 19],
  ['Tool Directory', 18, 20],
] as const) {
  test(`with ${longest} as the longest label the colons stand in columns ${top} and ${section}`, () => {
    const text = renderDocument({
      heading: 'A document',
      rows: [row(longest, 'x'), row('A', 'y')],
      sections: [{ title: 'Part', rows: [row('B', 'z')] }],
    });
    const colons = text.split('\n').filter((line) => /: [xyz]$/.test(line));
    assert.deepEqual(
      colons.map((line) => line.indexOf(':')),
      [top, top, section],
    );
  });
}

test('a label of a section can be the longest of all', () => {
  const text = renderDocument({
    heading: 'A document',
    rows: [row('A', '1')],
    sections: [{ title: 'Part', rows: [row('Very long label', '2')] }],
  });
  assert.match(text, /^ {18}A: 1$/m);
  assert.match(text, /^ {6}Very long label: 2$/m);
});

test('a row whose value is absent or empty is not printed, and no empty section text either', () => {
  const text = renderDocument({ heading: 'H', rows: [row('A', undefined), row('B', '')], sections: [] });
  assert.equal(text, 'H:\n');
});

test('enabled built-in tools are listed as withheld, one a line, with a sentence that says why', () => {
  const text = renderBanner({ ...banner, tools: { ...banner.tools, withheld: ['memory', 'knowledge'] } });
  assert.match(text, /^ {11}Withheld: memory\n {21}knowledge\n\n {4}The withheld built-in tools .*\n$/m);
});

test('a server given in place of a context has a row of its own and the context none', () => {
  const text = renderBanner({ ...banner, agentContext: undefined, server: 'nats://127.0.0.1:4222' });
  assert.match(text, /NATS Server: nats:\/\/127\.0\.0\.1:4222/);
  assert.doesNotMatch(text, /Agent Context/);
});

test('on a colour terminal identity and version are bold and the columns do not move', () => {
  const text = renderBanner(banner, styleFor(true, {}));
  assert.ok(text.startsWith('Serving \u001b[1mnats-tools/1.2.0\u001b[22m:\n'));
  assert.equal(text.replaceAll('\u001b[1m', '').replaceAll('\u001b[22m', ''), toolsOnly);
});
