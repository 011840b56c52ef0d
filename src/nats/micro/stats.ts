/**
 * The numbers of one endpoint. They stand in for those of the client library, which measures in whole milliseconds and
 * counts no request that was answered with error headers. Its service calls the methods here by these names.
 */
export class EndpointStats {
  readonly #name: string;
  readonly #subject: string;
  readonly #queue: string;
  #requests = 0;
  #errors = 0;
  #lastError = '';
  #nanoseconds = 0;

  constructor(name: string, subject: string, queue: string) {
    this.#name = name;
    this.#subject = subject;
    this.#queue = queue;
  }

  /** One request whose handler returned after `durationMs`; what it started and did not wait for is not in it. */
  countRequest(durationMs: number): void {
    this.#requests++;
    this.#nanoseconds += Math.round(durationMs * 1e6);
  }

  /** A request answered with error headers, or an answer that could not be sent. */
  countFailure(text: string): void {
    this.#errors++;
    this.#lastError = text;
  }

  /** Called by the library after each request, with its own coarser clock. */
  countLatency(): void {}

  /** Called by the library for what a handler throws; ours throws nothing. */
  countError(error: Error): void {
    this.countFailure(error.message);
  }

  reset(): void {
    this.#requests = 0;
    this.#errors = 0;
    this.#lastError = '';
    this.#nanoseconds = 0;
  }

  stats(): Record<string, string | number> {
    return {
      name: this.#name,
      subject: this.#subject,
      queue_group: this.#queue,
      num_requests: this.#requests,
      num_errors: this.#errors,
      last_error: this.#lastError,
      processing_time: this.#nanoseconds,
      average_processing_time: this.#requests === 0 ? 0 : Math.round(this.#nanoseconds / this.#requests),
    };
  }
}
