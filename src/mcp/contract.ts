/** What the two ways in, standard streams and HTTP, get of the part that answers. */
import type { Server } from '@modelcontextprotocol/server';

/** What a front knows about who calls: the session of an older revision, or the connection of a request without one. */
export interface McpClient {
  /** Whose token came with the request; a sealed approval without a session is bound to it. Undefined without a token. */
  readonly tokenHolder?: string;
  readonly session?: string;
  /** Names what waiting calls are counted by when there is no session. */
  readonly connection: string;
}

/** Makes the protocol server for one client: one a session of an older revision, one a request of a newer one. */
export type McpServerFactory = (client: McpClient) => Server;

/** What a front needs of the rest. */
export interface McpService {
  readonly createServer: McpServerFactory;
  /**
   * Takes no further calls, ends the running commands with their groups and answers every call in flight as
   * interrupted. Resolves when all are answered, after five seconds at the latest. Calling it again does nothing more.
   */
  drain(): Promise<void>;
  /** Calls that run, wait for a slot or wait for a person. */
  readonly inFlight: number;
}
