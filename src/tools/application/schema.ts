/** The schema of a command as it is shown and judged: with global flags, and with what shared names really mean. */
import type { JsonObject } from '../contract.ts';
import { type FlagDocument, isObject } from './document.ts';
import type { Positional } from './parameters.ts';

/** What replaces or is added to the properties of a published schema. */
export interface SchemaChanges {
  readonly globals: readonly FlagDocument[];
  /** Positional arguments that took a shared name from a flag. */
  readonly replaced: readonly Positional[];
}

/**
 * A copy with the changes; the published schema is never touched, and is returned as it is when there is nothing to
 * change. Names of others become keys, so the copied properties have no prototype.
 */
export function mergeSchema(schema: JsonObject, { globals, replaced }: SchemaChanges): JsonObject {
  if (globals.length === 0 && replaced.length === 0) return schema;
  const properties: Record<string, unknown> = Object.create(null);
  for (const [name, property] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {})) {
    properties[name] = property;
  }
  for (const arg of replaced) properties[arg.name] = valueSchema('string', arg.help, arg.cumulative);
  const required: unknown[] = Array.isArray(schema['required']) ? [...schema['required']] : [];
  for (const flag of globals) {
    if (Object.hasOwn(properties, flag.name)) continue;
    properties[flag.name] = globalSchema(flag);
    if (flag.required && flag.defaults.length === 0) required.push(flag.name);
  }
  return { ...schema, properties, ...(required.length > 0 ? { required } : {}) };
}

function globalSchema(flag: FlagDocument): JsonObject {
  const description = flag.help === '' ? 'Global flag' : `Global flag: ${flag.help}`;
  if (flag.boolean || flag.cumulative || flag.completions.length === 0) {
    return valueSchema(flag.boolean ? 'boolean' : 'string', description, flag.cumulative);
  }
  return { type: 'string', description, enum: flag.completions };
}

function valueSchema(type: 'string' | 'boolean', description: string, repeatable: boolean): JsonObject {
  return repeatable ? { type: 'array', items: { type }, description } : { type, description };
}
