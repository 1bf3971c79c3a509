/**
 * Records that the client of a request has gone away. To make a signal and to listen to it takes as long as the routing of
 * a request, so most listen here, and a signal is made for the first one who needs one.
 */
export class Departure {
  #controller: AbortController | null = null;
  readonly #listeners = new Set<() => void>();
  #isDeparted = false;
  #reason: unknown;

  /** Whether the client went away before its answer was complete. */
  get isDeparted(): boolean {
    return this.#isDeparted;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#isDeparted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Calls the listener when the client goes away, at once if it has; the result ends that. */
  onDeparted(listener: () => void): () => void {
    if (this.#isDeparted) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  record(reason?: unknown): void {
    if (this.#isDeparted) return;
    this.#isDeparted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
  }
}
