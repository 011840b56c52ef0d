/** What a property of a schema takes, in words. A schema of a peer may hold anything; what is not understood is left out. */
export function argumentType(schema: Readonly<Record<string, unknown>>): string {
  const { enum: allowed, minimum, maximum, pattern } = schema;
  return [
    Array.isArray(allowed) ? `one of ${allowed.map(valueText).join(', ')}` : typeText(schema),
    minimum === undefined ? '' : `at least ${valueText(minimum)}`,
    maximum === undefined ? '' : `at most ${valueText(maximum)}`,
    typeof pattern === 'string' ? `matching ${pattern}` : '',
    Object.hasOwn(schema, 'default') ? `default ${valueText(schema['default'])}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

const WORDS = new Map<unknown, string>([
  ['string', 'text'],
  ['boolean', 'true or false'],
  ['integer', 'whole number'],
  ['object', 'object'],
]);

function typeText({ type, items }: Readonly<Record<string, unknown>>): string {
  if (type === 'array') return typeof items === 'object' && items ? `list, each ${argumentType({ ...items })}` : 'list';
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string' && name !== 'null');
  return types.length === 0 ? 'any value' : types.map((name) => WORDS.get(name) ?? name).join(' or ');
}

function valueText(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}
