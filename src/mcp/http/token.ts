import { createHash, timingSafeEqual } from 'node:crypto';
import { McpTokenError } from '../../errors.ts';

const KEY = 'expose.agent.mcp.token_env';
const SHORTEST = 16;

/**
 * The bearer token that the variable holds which the file names; nothing when it names none.
 * @throws {McpTokenError} when the variable is unset, empty, or holds what cannot be a token.
 */
export function tokenFrom(variable: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (variable === undefined) return undefined;
  const token = env[variable];
  if (token === undefined || token === '') throw new McpTokenError(`${KEY} names ${variable}, which is not set`);
  checkToken(token, variable);
  return token;
}

/** @throws {McpTokenError} for a token that is short enough to be guessed, or that no header can carry. */
export function checkToken(token: string, whose = 'the bearer token'): void {
  if (token.length < SHORTEST) {
    throw new McpTokenError(`${whose} is shorter than the ${SHORTEST} characters that ${KEY} asks for`);
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new McpTokenError(
      `${whose} holds a blank, a line break or a character that is not ASCII, which no client can send`,
    );
  }
}

/** @throws {McpTokenError} always: whoever reaches the port could call every tool. */
export function refuseWithoutToken(address: string): never {
  throw new McpTokenError(
    `${address} can be reached from other machines, and nothing would keep anyone from calling: set ${KEY} to the name of a variable that holds a bearer token`,
  );
}

/** Whether an Authorization header carries the token; how long that takes tells nothing about the token. */
export function tokenCheck(token: string): (header: string | undefined) => boolean {
  const expected = digest(token);
  return (header) => {
    const given = /^bearer +([^ ]+) *$/i.exec(header ?? '')?.[1] ?? '';
    return timingSafeEqual(digest(given), expected);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'latin1').digest();
}
