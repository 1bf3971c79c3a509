/**
 * Notes that the client of a request has gone away. To make a signal and to listen to it takes as long as the routing of
 * a request, so most listen here, and a signal is made for the first one who needs one.
 */
export class Departure {
  #controller: AbortController | null = null;
  readonly #listeners = new Set<() => void>();
  #isNoted = false;
  #reason: unknown;

  /** Whether the client went away before its answer was complete. */
  get isNoted(): boolean {
    return this.#isNoted;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#isNoted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Calls the listener when the client goes away, at once if it has; the result ends that. */
  onNoted(listener: () => void): () => void {
    if (this.#isNoted) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  note(reason?: unknown): void {
    if (this.#isNoted) return;
    this.#isNoted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener();
  }
}
