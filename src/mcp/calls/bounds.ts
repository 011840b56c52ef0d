import type { Release } from '../../process/index.ts';

/** How many may wait at a time, in all and of one client. Whoever finds no place is turned away at once. */
export class Bounds {
  readonly #total: number;
  readonly #each: number;
  readonly #byClient = new Map<string, number>();
  #taken = 0;

  constructor(total: number, each: number) {
    this.#total = total;
    this.#each = each;
  }

  /** Takes a place, or answers `undefined` when none is free for that client. */
  tryTake(client: string): Release | undefined {
    const own = this.#byClient.get(client) ?? 0;
    if (this.#taken >= this.#total || own >= this.#each) return undefined;
    this.#taken++;
    this.#byClient.set(client, own + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#taken--;
      const left = (this.#byClient.get(client) ?? 1) - 1;
      if (left > 0) this.#byClient.set(client, left);
      else this.#byClient.delete(client);
    };
  }
}
