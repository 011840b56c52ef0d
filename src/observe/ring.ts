/** The last few of many things. What is older than that is forgotten. */
export class Ring<Item> {
  readonly #limit: number;
  readonly #items: Item[] = [];
  #next = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: Item): void {
    this.#items[this.#next] = item;
    this.#next = (this.#next + 1) % this.#limit;
  }

  /** Newest first. */
  list(): Item[] {
    return [...this.#items.slice(this.#next), ...this.#items.slice(0, this.#next)].reverse();
  }
}
