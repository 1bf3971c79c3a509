/** Bounds of a JSON value: what it costs grows with its fields and elements, not only with its bytes. */
export interface JsonBounds {
  readonly levels: number;
  /** Fields and elements at any depth. */
  readonly members: number;
}

/** Of a whole request. A mebibyte could have half a million members. */
export const requestBounds: JsonBounds = { levels: 120, members: 20_000 };

/** Of a value without a schema of its own, such as the settings of an adapter, which is stored and shown as it is. */
export const freeFormBounds: JsonBounds = { levels: 100, members: 2_000 };

/** Returns what is wrong with a value that exceeds a bound; null: nothing is. */
export const explainExcess = (value: unknown, most: JsonBounds): string | null => {
  // Goes through the levels without recursion, which a deep value would make overflow the stack.
  let level: readonly unknown[] = [value];
  let members = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most.levels) return `must not be nested deeper than ${most.levels} levels`;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== "object" || each === null) continue;
      const values: readonly unknown[] = Array.isArray(each) ? each : Object.values(each);
      members += values.length;
      if (members > most.members) return `must have at most ${most.members} fields and elements in total`;
      for (const inner of values) next.push(inner);
    }
    level = next;
  }
  return null;
};
