import { setImmediate as turn } from "node:timers/promises";

/** As many connections as the kernel keeps for us before we accept them; Linux itself allows no more by default. */
export const backlog = 4_096;

/** Counts requests in progress, so that a stop waits for exactly those. */
export class RequestsInProgress {
  draining = false;
  #begun = 0;
  #count = 0;
  #waiting: (() => void)[] = [];

  add(request: Promise<void>): void {
    this.#begun += 1;
    this.#count += 1;
    request.finally(() => {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  /**
   * Takes what the kernel has received, which a stop would lose with its connection otherwise. A turn of the event loop
   * accepts one connection, and the next reads from it; the first may be half over.
   */
  async received(): Promise<void> {
    for (let turns = 0, quiet = 0; quiet < 3 && turns < backlog; turns += 1) {
      const before = this.#begun;
      await turn();
      quiet = this.#begun === before ? quiet + 1 : 0;
    }
  }

  none(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
