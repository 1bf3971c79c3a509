/**
 * Comes to each member once in an interval, in turns: members of one turn share a wake of the process. The first time is
 * at most an interval after a member was added. It has a timer only while it has members.
 */
export class Turns<Member> {
  readonly #turns: readonly Set<Member>[];
  readonly #everyMs: number;
  readonly #comeTo: (member: Member) => void;
  #timer: NodeJS.Timeout | undefined;
  #members = 0;
  #added = 0;
  #turn = 0;

  constructor(intervalMs: number, turns: number, comeTo: (member: Member) => void) {
    this.#turns = Array.from({ length: turns }, () => new Set<Member>());
    this.#everyMs = intervalMs / turns;
    this.#comeTo = comeTo;
  }

  /** Returns the function that removes the member. */
  add(member: Member): () => void {
    const turn = this.#turns[this.#added++ % this.#turns.length]!;
    turn.add(member);
    this.#members++;
    this.#timer ??= setInterval(() => this.#next(), this.#everyMs);
    return () => {
      if (!turn.delete(member) || --this.#members > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #next(): void {
    this.#turn = (this.#turn + 1) % this.#turns.length;
    for (const member of this.#turns[this.#turn]!) this.#comeTo(member);
  }
}
