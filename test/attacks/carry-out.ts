import { describe, it } from "vitest";
import { isDeep } from "../support/sample.ts";
import { type Attempt, type Environment, environments } from "./attempts/attempt.ts";

type Id<Row extends Attempt, Tried extends Environment> = Row extends Attempt
  ? [Row["environments"][number] & Tried] extends [never]
    ? never
    : Row["id"]
  : never;

/** A function for each row that is tried in one of those environments; it fails where the promise does not hold. */
export type Trials<Rows extends readonly Attempt[], Tried extends Environment> = {
  readonly [Name in Id<Rows[number], Tried>]: (environment: Tried) => Promise<void> | void;
};

/**
 * Makes a test of each row in one of those environments, in turn, and in a deep run in each. `around` is called once for an environment, before its tests are made. The
 * suite runs as root, which alone can make the users of both.
 */
export const carryOut = <const Rows extends readonly Attempt[], Tried extends Environment>(
  rows: Rows,
  tried: readonly Tried[],
  trials: Trials<Rows, NoInfer<Tried>>,
  around: (environment: Tried) => void = () => {},
): void => {
  const trialOf = trials as Readonly<Record<string, (environment: Tried) => Promise<void> | void>>;
  const triedIn = ({ environments: where }: Attempt, n: number) => {
    const all = tried.filter((environment) => where.includes(environment));
    return isDeep ? all : all.slice(n % all.length).slice(0, 1);
  };
  for (const environment of tried) {
    if (!rows.some((row, n) => triedIn(row, n).includes(environment))) continue;
    describe.skipIf(process.getuid?.() !== 0)(environments[environment], () => {
      around(environment);
      for (const [n, row] of rows.entries()) {
        const { id, promise, who, attempt } = row;
        if (triedIn(row, n).includes(environment))
          it(`${promise} (${who} ${attempt}: ${id})`, () => trialOf[id]!(environment));
      }
    });
  }
};
