import { refusal } from "../../core/model/shared/failure.ts";

export class TooManyStreams extends refusal(
  "too_many_streams",
  "too_many",
  "Too many open event streams. Close some or try again later.",
) {}

/** Streams share the reads of the database, but each one costs a connection and the writing of its events. */
const maxPerCaller = 20;
const maxPerCompany = 1_000;

/** Counts the open event streams by caller and company. */
export class Followers {
  readonly #open = new Map<string, number>();

  /**
   * Adds a stream and returns the function that removes it; null if too many are open. `followed` is a company or all
   * companies of a caller.
   */
  add(caller: string, followed: string): (() => void) | null {
    const limits = [
      [`caller ${caller}`, maxPerCaller],
      [followed, maxPerCompany],
    ] as const;
    if (limits.some(([key, most]) => this.#count(key) >= most)) return null;
    for (const [key] of limits) this.#open.set(key, this.#count(key) + 1);
    let unfollowed = false;
    return () => {
      if (unfollowed) return;
      unfollowed = true;
      for (const [key] of limits) {
        const count = this.#count(key) - 1;
        if (count === 0) this.#open.delete(key);
        else this.#open.set(key, count);
      }
    };
  }

  #count(key: string): number {
    return this.#open.get(key) ?? 0;
  }
}
