import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a question was asked about; an answer counts for nothing else. */
export interface Sealed {
  /** The session or the owner of the token; empty when there is neither. */
  readonly holder: string;
  readonly tool: string;
  readonly argv: readonly string[];
}

/** What a returned seal is worth. Only `good` says that the question was about this very call. */
export type SealVerdict = 'good' | 'other arguments' | 'expired' | 'used' | 'invalid';

export interface SealOptions {
  /** How long an answer may take, in ms. */
  readonly lifetimeMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /** Questions that may be open at a time; beyond it the oldest can no longer be answered. */
  readonly limit?: number;
}

interface Claim {
  readonly nonce: string;
  readonly expires: number;
  readonly holder: string;
  readonly tool: string;
  readonly argv: string;
}

/**
 * Marks for questions whose answers come back with another request. A mark cannot be made without the key, which never
 * leaves this process, holds for one call, and is worth something once.
 */
export class Seals {
  readonly #key = randomBytes(32);
  /** The nonces of open questions with the time they expire, oldest first: what is not here is not good, so that forgetting fails closed. */
  readonly #open = new Map<string, number>();
  readonly #lifetimeMs: number;
  readonly #now: () => number;
  readonly #limit: number;

  constructor({ lifetimeMs, now = () => performance.now(), limit = 1_024 }: SealOptions) {
    this.#lifetimeMs = lifetimeMs;
    this.#now = now;
    this.#limit = limit;
  }

  /** How many questions are open. */
  get open(): number {
    return this.#open.size;
  }

  /** A new mark for a question about that call. */
  seal(call: Sealed): string {
    this.#forget();
    const nonce = randomBytes(16).toString('base64url');
    const expires = this.#now() + this.#lifetimeMs;
    this.#open.set(nonce, expires);
    const claim: Claim = { nonce, expires, holder: digest(call.holder), tool: call.tool, argv: digest(call.argv) };
    const body = Buffer.from(JSON.stringify(claim)).toString('base64url');
    return `${body}.${this.#sign(body)}`;
  }

  /** Judges a mark that came back with a call, and uses it up. */
  use(seal: string, call: Sealed): SealVerdict {
    const claim = this.#read(seal);
    if (claim === undefined) return 'invalid';
    if (claim.expires <= this.#now()) return 'expired';
    if (!this.#open.delete(claim.nonce)) return 'used';
    if (claim.holder !== digest(call.holder) || claim.tool !== call.tool) return 'invalid';
    return claim.argv === digest(call.argv) ? 'good' : 'other arguments';
  }

  #read(seal: string): Claim | undefined {
    const [body = '', signature = '', ...rest] = seal.split('.', 3);
    const expected = Buffer.from(this.#sign(body));
    const given = Buffer.from(signature);
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as Claim;
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#key).update(body).digest('base64url');
  }

  #forget(): void {
    const now = this.#now();
    for (const [nonce, expires] of this.#open) {
      if (expires > now && this.#open.size < this.#limit) return;
      this.#open.delete(nonce);
    }
  }
}

function digest(what: unknown): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url');
}
