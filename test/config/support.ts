import { type Config, type LoadedConfig, type LoadRequest, parseConfig } from '../../src/config/index.ts';
import { ConfigInvalidError, type ConfigProblem } from '../../src/errors.ts';

/** A tools-only daemon's file, which every mode accepts but agent. */
export const TOOLS = `identity: nats-tools
application_path: /opt/nats
nats_context: production
expose:
  agent:
    a2a:
      serve_tools: true
`;

export function parse(text: string, request: Partial<LoadRequest> = {}): LoadedConfig {
  return parseConfig(text, { path: 'agent.yaml', mode: 'lenient', env: {}, ...request });
}

export function config(text: string, request: Partial<LoadRequest> = {}): Config {
  return parse(text, request).config;
}

/** The problems of a file that must be refused; throws when it is not. */
export function problems(text: string, request: Partial<LoadRequest> = {}): readonly ConfigProblem[] {
  try {
    parse(text, request);
  } catch (error) {
    if (error instanceof ConfigInvalidError) {
      return error.problems;
    }
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

/** The first line of the report on a file that must be refused. */
export function firstLine(text: string, request: Partial<LoadRequest> = {}): string {
  const [problem] = problems(text, request);
  return `${problem?.where} ${problem?.key} ${problem?.rule}`;
}
