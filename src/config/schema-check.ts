import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { DurationTextError, parseDuration } from './durations.ts';
import { Pattern, PatternTextError } from './patterns.ts';
import { type DurationBounds, property, resolved, type SchemaNode, schema } from './schema.ts';

/** One refusal of the schema. */
export interface Refusal {
  /** Key path of what is refused. */
  readonly path: readonly (string | number)[];
  /** `unknown` and `type` are mistakes in the shape of the file, the rest in a value. */
  readonly kind: 'unknown' | 'type' | 'missing' | 'value';
  readonly keyword: string;
  readonly value: unknown;
  /** The place in the schema that refused: for an unknown key, the block it stands in. */
  readonly node: SchemaNode;
  /** Of a custom keyword: what is wrong with the text. */
  readonly detail: string | undefined;
}

/** Words of the schema that judge nothing. */
export const ANNOTATIONS = [
  'x-renamed',
  'x-default',
  'x-commands',
  'x-flag',
  'x-env',
  'x-ours',
  'x-later',
  'x-switch',
  'x-normalise',
  'x-default-when-not-positive',
  'x-at-most',
  'x-checked-when',
];

type Keyword = { (bounds: unknown, text: string): boolean; errors?: Partial<ErrorObject>[] };

/** Judges plain data by the schema. Each key is refused once, for its first reason. */
export function refusals(data: unknown): Refusal[] {
  const validate = newAjv().compile(relevant(schema, data));
  const seen = new Set<string>();
  const found: Refusal[] = [];
  validate(data);
  for (const error of validate.errors ?? []) {
    const refusal = refusalOf(error);
    const id = JSON.stringify(refusal.path);
    if (!seen.has(id)) {
      seen.add(id);
      found.push(refusal);
    }
  }
  return found;
}

/**
 * The part of the schema that can say something about the data. Compiling all of it takes longer than everything else
 * that is done with the file, and most files use a small part.
 */
function relevant(node: SchemaNode, data: unknown): SchemaNode {
  if (node.properties === undefined || typeof data !== 'object' || data === null) {
    return node;
  }
  const present = new Map(Object.entries(data));
  const kept = Object.entries(node.properties).filter(([name]) => present.has(name));
  return {
    ...node,
    properties: Object.fromEntries(kept.map(([name, inner]) => [name, relevant(inner, present.get(name))])),
  };
}

/** The schema is checked against its own rules by a test, so that no start has to. */
function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    validateSchema: false,
    meta: false,
    code: { optimize: false },
  });
  ajv.addVocabulary(ANNOTATIONS);
  ajv.addKeyword({
    keyword: 'x-duration',
    type: 'string',
    errors: true,
    validate: keyword('x-duration', durationFault),
  });
  ajv.addKeyword({ keyword: 'x-pattern', type: 'string', errors: true, validate: keyword('x-pattern', patternFault) });
  return ajv;
}

function keyword(name: string, fault: (bounds: DurationBounds, text: string) => string | undefined): Keyword {
  const validate: Keyword = (bounds, text) => {
    const message = fault(bounds as DurationBounds, text);
    if (message === undefined) {
      return true;
    }
    validate.errors = [{ keyword: name, message, params: {} }];
    return false;
  };
  return validate;
}

function durationFault({ above, atLeast, atMost }: DurationBounds, text: string): string | undefined {
  try {
    const ms = parseDuration(text);
    if (above !== undefined && ms <= parseDuration(above)) {
      return `must be above ${above}`;
    }
    if (atLeast !== undefined && ms < parseDuration(atLeast)) {
      return `must not be below ${atLeast}`;
    }
    return atMost !== undefined && ms > parseDuration(atMost) ? `must not be above ${atMost}` : undefined;
  } catch (error) {
    if (error instanceof DurationTextError) {
      return `is no duration: it ${error.message}`;
    }
    throw error;
  }
}

function patternFault(_: unknown, text: string): string | undefined {
  try {
    new Pattern(text);
    return undefined;
  } catch (error) {
    if (error instanceof PatternTextError) {
      return error.message;
    }
    throw error;
  }
}

const SHAPE: ReadonlyMap<string, Refusal['kind']> = new Map([
  ['additionalProperties', 'unknown'],
  ['type', 'type'],
  ['required', 'missing'],
]);

function refusalOf(error: ErrorObject): Refusal {
  const at = pathOf(error.instancePath);
  const kind = SHAPE.get(error.keyword) ?? 'value';
  const extra = kind === 'unknown' ? error.params.additionalProperty : error.params.missingProperty;
  return {
    path: extra === undefined ? at : [...at, String(extra)],
    kind,
    keyword: error.keyword,
    value: error.data,
    node: nodeAt(at),
    detail: error.message,
  };
}

function pathOf(pointer: string): (string | number)[] {
  const path: (string | number)[] = [];
  let node: SchemaNode = schema;
  for (const raw of pointer.split('/').slice(1)) {
    const segment = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(node.type === 'array' ? Number(segment) : segment);
    node = step(node, segment);
  }
  return path;
}

function nodeAt(path: readonly (string | number)[]): SchemaNode {
  return path.reduce<SchemaNode>((node, segment) => step(node, String(segment)), schema);
}

function step(node: SchemaNode, segment: string): SchemaNode {
  return node.type === 'array' ? resolved(node.items ?? {}) : (property(node, segment) ?? {});
}
