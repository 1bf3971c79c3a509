import { refusal } from "../../core/shared/failure.ts";

export class TooManyStreams extends refusal(
  "too_many_streams",
  "too_many",
  "Too many event streams are open; close some, or try again later.",
) {}

/** Streams share their looks at the database; each still costs a connection and the writing of what it is told. */
const mostOfCaller = 20;
const mostOfCompany = 1_000;

/** Counts the event streams that are open, by who follows and what. */
export class Followers {
  readonly #open = new Map<string, number>();

  /** Answers with what ends it, once; null where there are too many already. `followed`: a company, or all of a caller. */
  enter(caller: string, followed: string): (() => void) | null {
    const limits = [
      [`caller ${caller}`, mostOfCaller],
      [followed, mostOfCompany],
    ] as const;
    if (limits.some(([key, most]) => this.#count(key) >= most)) return null;
    for (const [key] of limits) this.#open.set(key, this.#count(key) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
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
