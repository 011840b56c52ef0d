import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { MessageId } from './ids.ts';
import { hasSchema, schemaOf } from './schemas.ts';
import { isWireTime } from './time.ts';

const compiled = new Map<string, ValidateFunction>();
let ajv: Ajv | undefined;

/** What is wrong with a message of this id, in one line; undefined when it holds. Schemas are compiled on first use. */
export function problemWith(id: MessageId, message: unknown): string | undefined {
  const validate = validator(id);
  return validate(message) ? undefined : describe(validate.errors?.[0]);
}

function validator(id: MessageId): ValidateFunction {
  // All events without a shape of their own share one entry: their ids come from others and are never kept.
  const key = hasSchema(id) ? id : 'framing';
  let validate = compiled.get(key);
  if (validate === undefined) {
    ajv ??= new Ajv({ strict: true, formats: { 'wire-time': isWireTime } });
    validate = ajv.compile(schemaOf(id));
    compiled.set(key, validate);
  }
  return validate;
}

function describe(error: ErrorObject | undefined): string {
  if (error === undefined) return 'the message does not have the shape of its id';
  const where =
    error.instancePath === '' ? 'the message' : `property ${error.instancePath.slice(1).replaceAll('/', '.')}`;
  if (error.keyword === 'format') return `${where} must be an RFC 3339 time`;
  return `${where} ${error.message ?? 'is not allowed'}`;
}
