/** A set of UUIDs in 8 bytes each, at most half full. Two ids that agree in 64 of their bits count as one. */
export class IdSet {
  #slots = new Uint32Array(2 * 1024);
  #size = 0;

  add(id: string): void {
    if (this.#size * 4 >= this.#slots.length) this.#grow();
    const [high, low] = partsOf(id);
    if (this.#place(this.#slots, high, low)) this.#size += 1;
  }

  has(id: string): boolean {
    const [high, low] = partsOf(id);
    const at = slotOf(this.#slots, high, low);
    return this.#slots[at] !== 0 || this.#slots[at + 1] !== 0;
  }

  #place(slots: Uint32Array, high: number, low: number): boolean {
    const at = slotOf(slots, high, low);
    if (slots[at] !== 0 || slots[at + 1] !== 0) return false;
    slots[at] = high;
    slots[at + 1] = low;
    return true;
  }

  #grow(): void {
    const larger = new Uint32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#slots.length; at += 2)
      if (this.#slots[at] !== 0 || this.#slots[at + 1] !== 0)
        this.#place(larger, this.#slots[at]!, this.#slots[at + 1]!);
    this.#slots = larger;
  }
}

/** The part that changes with the time, and the last random digits. */
const partsOf = (id: string): readonly [number, number] => [
  Number.parseInt(id.slice(4, 8) + id.slice(9, 13), 16) | 1,
  Number.parseInt(id.slice(28), 16),
];

const slotOf = (slots: Uint32Array, high: number, low: number): number => {
  const mask = slots.length / 2 - 1;
  let slot = (Math.imul(high ^ Math.imul(low, 0x9e3779b1), 0x85ebca6b) >>> 0) & mask;
  while (
    (slots[2 * slot] !== 0 || slots[2 * slot + 1] !== 0) &&
    (slots[2 * slot] !== high >>> 0 || slots[2 * slot + 1] !== low)
  )
    slot = (slot + 1) & mask;
  return 2 * slot;
};
