import { InvalidArgumentError, Option } from 'commander';

/** What completion may offer for a value, and what the command model says about it. */
export type ValueKind = 'text' | 'integer' | 'file' | 'directory' | 'context';

/** A flag with the kind of its value; a switch has none. */
export class Flag extends Option {
  readonly kind: ValueKind | undefined;

  constructor(flags: string, description: string, kind?: ValueKind) {
    super(flags, description);
    this.kind = kind;
    if (kind !== undefined) this.argParser(refuseEmpty);
  }
}

function refuseEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

export const DEFAULT_CONFIG = 'agent.yaml';

export const configFlag = () =>
  new Flag('--config <file>', 'configuration file', 'file').default(DEFAULT_CONFIG).helpGroup('Options:');

export const contextFlag = () => new Flag('--context <name>', 'NATS context to use; no file is read then', 'context');

export const serverFlag = (description = 'NATS server to use in place of a context') =>
  new Flag('--server <url>', description, 'text');

export const jsonFlag = () => new Flag('--json', 'print one JSON document');

export const metricsFlag = () =>
  new Flag(
    '--metrics-address <address>',
    'serve metrics, health and a status page at HOST:PORT or PORT ($FISK_METRICS_ADDRESS)',
    'text',
  ).helpGroup('Watch:');

export const logFormatFlag = () =>
  new Flag('--log-format <form>', 'form of the log', 'text').choices(['json', 'text']).helpGroup('Log:');

export const verboseFlag = () => new Flag('--verbose', 'log at debug level').helpGroup('Log:');

export const noTelemetryFlag = () => new Flag('--no-telemetry', 'export nothing ($NO_TELEMETRY)').helpGroup('Log:');
