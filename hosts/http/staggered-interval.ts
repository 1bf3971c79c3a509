/**
 * Calls back for each member once in an interval. Members are spread over slots; those of one slot share a timer and a
 * wake of the process. The first call comes at most an interval after a member was added.
 */
export class StaggeredInterval<Member> {
  readonly #slots: readonly Set<Member>[];
  readonly #slotMs: number;
  readonly #call: (member: Member) => void;
  /** undefined while there is no member. */
  #timer: NodeJS.Timeout | undefined;
  #members = 0;
  #added = 0;
  #slot = 0;

  constructor(intervalMs: number, slots: number, call: (member: Member) => void) {
    this.#slots = Array.from({ length: slots }, () => new Set<Member>());
    this.#slotMs = intervalMs / slots;
    this.#call = call;
  }

  /** Returns the function that removes the member. */
  add(member: Member): () => void {
    const slot = this.#slots[this.#added++ % this.#slots.length]!;
    slot.add(member);
    this.#members++;
    this.#timer ??= setInterval(() => this.#next(), this.#slotMs);
    return () => {
      if (!slot.delete(member) || --this.#members > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #next(): void {
    this.#slot = (this.#slot + 1) % this.#slots.length;
    for (const member of this.#slots[this.#slot]!) this.#call(member);
  }
}
