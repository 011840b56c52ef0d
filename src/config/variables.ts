import { booleanText } from './coercion.ts';

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
