import document from '../../config/fisk.schema.json' with { type: 'json' };

/** Bounds of a duration, themselves durations. */
export interface DurationBounds {
  readonly above?: string;
  readonly atLeast?: string;
  readonly atMost?: string;
}

/** One place of the schema. The `x-` words are this project's own; editors pass over them. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  readonly default?: string | number | boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** The value is a duration. */
  readonly 'x-duration'?: DurationBounds;
  /** The value is a regular expression in RE2 syntax. */
  readonly 'x-pattern'?: boolean;
  /** Applied before the value is judged: `lower` trims and lower-cases, `names` and `flags` clean a list. */
  readonly 'x-normalise'?: 'lower' | 'names' | 'flags';
  /** The block's presence means something, so a block without a value is warned about. */
  readonly 'x-switch'?: boolean;
  /** Zero and less stand for the default. */
  readonly 'x-default-when-not-positive'?: boolean;
  /** Larger values are brought down to this one. */
  readonly 'x-at-most'?: number;
  /** The flag, without dashes, that sets the same thing. */
  readonly 'x-flag'?: string;
  /** The variable that sets the same thing, on commands that have the flag. */
  readonly 'x-env'?: string;
  /** A default that is not a plain value, for the reference. */
  readonly 'x-default'?: string;
  /** Commands that read the key; a block's word holds for what is in it. */
  readonly 'x-commands'?: string;
  /** A key that other implementations of this file do not know. */
  readonly 'x-ours'?: boolean;
  /** Checked, but what it configures is not built yet. */
  readonly 'x-later'?: boolean;
  /** The value is judged only while this is on. */
  readonly 'x-checked-when'?: 'telemetry' | 'capture';
}

interface SchemaDocument extends SchemaNode {
  readonly $defs: Readonly<Record<string, SchemaNode>>;
  /** Old key path to new key path. */
  readonly 'x-renamed': Readonly<Record<string, string>>;
}

/** The one declaration of every key. */
export const schema = document as unknown as SchemaDocument;

/** A place with its `$ref` followed; what stands beside the reference wins. */
export function resolved(node: SchemaNode): SchemaNode {
  if (node.$ref === undefined) {
    return node;
  }
  const { $ref, ...own } = node;
  return { ...schema.$defs[$ref.replace('#/$defs/', '')], ...own };
}

/** The place of `key` in a mapping, or undefined when the mapping does not know it. */
export function property(node: SchemaNode, key: string): SchemaNode | undefined {
  if (node.properties !== undefined && Object.hasOwn(node.properties, key)) {
    const found = node.properties[key];
    return found === undefined ? undefined : resolved(found);
  }
  return typeof node.additionalProperties === 'object' ? resolved(node.additionalProperties) : undefined;
}

export interface SchemaKey {
  /** Segments; a list's entries are `[]`. */
  readonly path: readonly string[];
  readonly node: SchemaNode;
  /** What the key or a block around it says. */
  readonly commands: string;
  readonly ours: boolean;
  readonly later: boolean;
}

/** Every key of the schema, blocks before what they hold, in the order of the schema. */
export function* schemaKeys(
  block: SchemaNode = schema,
  above: SchemaKey = { path: [], node: schema, commands: '', ours: false, later: false },
): Generator<SchemaKey> {
  for (const [name, raw] of Object.entries(block.properties ?? {})) {
    const node = resolved(raw);
    const key = {
      path: [...above.path, name],
      node,
      commands: node['x-commands'] ?? above.commands,
      ours: above.ours || node['x-ours'] === true,
      later: above.later || node['x-later'] === true,
    };
    yield key;
    if (node.properties !== undefined) {
      yield* schemaKeys(node, key);
    } else if (node.items !== undefined) {
      yield* schemaKeys(resolved(node.items), { ...key, path: [...key.path, '[]'] });
    }
  }
}

/** A key path as people write it: `remote_tools[].name`. */
export function keyText(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') {
      return `${text}[${segment}]`;
    }
    return segment === '[]' ? `${text}[]` : text === '' ? segment : `${text}.${segment}`;
  }, '');
}
