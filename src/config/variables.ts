import { UsageError } from '../errors.ts';
import { booleanText } from './coercion.ts';

/**
 * Reads a variable that stands for a switch: `1 t T TRUE true True` and `0 f F FALSE false False`.
 * @returns undefined when the variable is unset or empty.
 * @throws {UsageError} for anything else.
 */
export function booleanVariable(env: NodeJS.ProcessEnv, name: string): boolean | undefined {
  const text = env[name];
  if (text === undefined || text === '') {
    return undefined;
  }
  const value = booleanText(text);
  if (value === undefined) {
    throw new UsageError(`${name} must be true or false, it is ${JSON.stringify(text)}; unset it or correct it`);
  }
  return value;
}

/** Whether the user asked for output without colour: any value but an empty one, as the convention has it. */
export function noColor(env: NodeJS.ProcessEnv): boolean {
  return (env['NO_COLOR'] ?? '') !== '';
}

/**
 * What keeps telemetry off whatever the file says, or undefined. `NO_TELEMETRY` is read generously, since its purpose
 * is to keep things private: any text that is not a spelling of false counts.
 */
export function telemetryVeto(env: NodeJS.ProcessEnv, noTelemetryFlag: boolean): string | undefined {
  const text = (env['NO_TELEMETRY'] ?? '').trim();
  if (text !== '' && booleanText(text) !== false) {
    return 'NO_TELEMETRY';
  }
  if (noTelemetryFlag) {
    return '--no-telemetry';
  }
  return booleanText(env['OTEL_SDK_DISABLED'] ?? '') === true ? 'OTEL_SDK_DISABLED' : undefined;
}
