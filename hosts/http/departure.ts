/**
 * Notes that the client of a request has gone away. Most requests are answered without a signal, whose making takes as
 * long as their routing, so it is made for the first one who asks for it.
 */
export class Departure {
  #controller: AbortController | null = null;
  #isGone = false;

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#isGone) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  note(): void {
    this.#isGone = true;
    this.#controller?.abort();
  }
}
