import { parseArgs } from "node:util";

export interface Options {
  readonly minutes: number;
  readonly agents: number;
  readonly seed: number;
}

export const usage = `npm run soak -- [options]

Loads a service of its own on 127.0.0.1, kills its parts at random moments, and asks afterwards whether the invariants hold.

  --minutes N   length of the load, default 60
  --agents N    number of agents, default 100
  --seed N      of the random choices, default 1
`;

export const readOptions = (args: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "60" },
      agents: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
    },
  });
  const above0 = (name: "minutes" | "agents" | "seed") => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name} takes a number above 0.`);
    return value;
  };
  return { minutes: above0("minutes"), agents: Math.ceil(above0("agents")), seed: above0("seed") };
};

/** Returns numbers from 0 up to 1, the same for the same seed. */
export const randomOf = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
