/** HTML that is already safe. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | readonly Html[];

/** A template whose values are escaped, unless they are HTML themselves. Values stand between tags or in quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(textOf)));
}

function textOf(value: Part): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeHtml(String(value));
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}
