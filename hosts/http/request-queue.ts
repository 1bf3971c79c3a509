/** How long a queue must last before it predicts anything, and the time over which its answers are counted. */
const intervalMs = 1_000;

/**
 * Predicts the wait of a request from those in progress and the rate of their answers, once a queue of them has lasted a
 * second. A smaller number, or a burst that is answered sooner, predicts nothing, however slow its requests are.
 */
export class RequestQueue {
  /** As many as a burst of people and agents may be. */
  static readonly least = 64;
  readonly #now: () => number;
  #inProgress = 0;
  /** Answers of the present interval; null: no queue. */
  #present: { readonly from: number; answers: number } | null = null;
  /** The interval before; null: the queue began in the present one. */
  #before: { readonly ms: number; readonly answers: number } | null = null;

  /** The clock counts milliseconds and never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get inProgress(): number {
    return this.#inProgress;
  }

  enter(): void {
    this.#inProgress++;
    if (this.#inProgress >= RequestQueue.least) this.#present ??= { from: this.#now(), answers: 0 };
  }

  leave(how: "answered" | "for a while"): void {
    this.#inProgress--;
    if (this.#present === null) return;
    if (how === "answered") this.#present.answers++;
    // Half of it: a queue that hovers around its least number still counts.
    if (this.#inProgress < RequestQueue.least / 2) this.#present = this.#before = null;
  }

  /** The milliseconds until those in progress now are answered, at the rate of the last one or two seconds; 0: no queue. */
  waitMs(): number {
    if (this.#present === null || this.#inProgress < RequestQueue.least) return 0;
    const now = this.#now();
    if (now - this.#present.from >= intervalMs) {
      this.#before = { ms: now - this.#present.from, answers: this.#present.answers };
      this.#present = { from: now, answers: 0 };
    }
    if (this.#before === null) return 0;
    const ms = this.#before.ms + now - this.#present.from;
    const answers = this.#before.answers + this.#present.answers;
    return answers === 0 ? Number.POSITIVE_INFINITY : (this.#inProgress * ms) / answers;
  }
}
