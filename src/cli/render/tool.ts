import type { Behavior, ToolDescriptor } from '../../protocol/index.ts';
import { argumentType } from './argument-type.ts';
import { splitDescription } from './description.ts';
import { type Row, renderDocument, row, rowOf } from './layout.ts';
import { type Style, unstyled } from './style.ts';
import { oneLine, plain } from './text.ts';

/** Lays out all that a card says about one tool: what it does, and what each of its arguments takes. */
export function renderTool(agent: string, tool: ToolDescriptor, style: Style = unstyled): string {
  const { text, tags } = splitDescription(tool.description);
  const schema = tool.input_schema ?? {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const properties = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const rows = properties.map(([name, property]) => argumentRow(name, property, required.has(name)));
  return renderDocument(
    {
      heading: `Tool ${style.bold(oneLine(tool.name))} of ${oneLine(agent)}`,
      rows: [
        rowOf('Description', lines(text)),
        row('Tags', tags),
        row('Behavior', behaviorText(tool.behavior ?? {}) || 'nothing is said about its effects'),
      ],
      sections: [{ title: 'Arguments', rows, ...(rows.length === 0 ? { text: ['It takes none.'] } : {}) }],
    },
    style,
  );
}

function argumentRow(name: string, property: unknown, required: boolean): Row {
  const about = isObject(property) ? property : {};
  const type = `${argumentType(about)}${required ? ', required' : ''}`;
  const description = typeof about['description'] === 'string' ? about['description'] : '';
  return rowOf(oneLine(name), [oneLine(type), ...lines(description)]);
}

/** The lines of a text; a row leaves empty ones out. */
function lines(text: string): string[] {
  return plain(text)
    .split('\n')
    .map((line) => line.trimEnd());
}

const WORDS: readonly (readonly [key: keyof Behavior, word: string])[] = [
  ['read_only', 'read only'],
  ['destructive', 'destructive'],
  ['idempotent', 'idempotent'],
  ['open_world', 'open world'],
];

function behaviorText(behavior: Behavior): string {
  return WORDS.filter(([key]) => behavior[key] !== undefined)
    .map(([key, word]) => (behavior[key] ? word : `not ${word}`))
    .join(', ');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
