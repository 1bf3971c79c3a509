import { describe, it } from "vitest";
import { type Attempt, type Place, places } from "./attempts/attempt.ts";

type Id<Row extends Attempt, Tried extends Place> = Row extends Attempt
  ? [Row["places"][number] & Tried] extends [never]
    ? never
    : Row["id"]
  : never;

/** A function for each row that is tried in one of those places; it fails where the promise does not hold. */
export type Trials<Rows extends readonly Attempt[], Tried extends Place> = {
  readonly [Name in Id<Rows[number], Tried>]: (place: Tried) => Promise<void> | void;
};

/**
 * Makes a test of each row in each of those places. `around` is called once for a place, before its tests are made. The
 * suite runs as root, which alone can make the users of both.
 */
export const carryOut = <const Rows extends readonly Attempt[], Tried extends Place>(
  rows: Rows,
  tried: readonly Tried[],
  trials: Trials<Rows, NoInfer<Tried>>,
  around: (place: Tried) => void = () => {},
): void => {
  const trialOf = trials as Readonly<Record<string, (place: Tried) => Promise<void> | void>>;
  for (const place of tried) {
    describe.skipIf(process.getuid?.() !== 0)(places[place], () => {
      around(place);
      for (const { id, promise, who, attempt, places: where } of rows)
        if (where.includes(place)) it(`${promise} (${who} ${attempt}: ${id})`, () => trialOf[id]!(place));
    });
  }
};
