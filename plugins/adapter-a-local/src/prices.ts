import type { UsageReport } from "../../../ports/agent-adapter.ts";
import type { Turn } from "./stream.ts";

/** Dollars per million tokens, by what the id of a model holds; the first that fits. */
const prices: readonly (readonly [RegExp, { readonly input: number; readonly output: number }])[] = [
  [/opus-4-[01](?:-|$)|opus-4-20|3-opus/, { input: 15, output: 75 }],
  [/opus/, { input: 5, output: 25 }],
  [/sonnet/, { input: 3, output: 15 }],
  [/3-5-haiku/, { input: 0.8, output: 4 }],
  [/haiku/, { input: 1, output: 5 }],
];

/** Of the price of a fresh token in. */
const cacheWrite = 1.25;
const cacheRead = 0.1;

const priceOf = (turn: Turn): number | null => {
  const price = prices.find(([model]) => model.test(turn.model))?.[1];
  if (price === undefined) return null;
  const input = turn.inputTokens + turn.cacheWriteTokens * cacheWrite + turn.cacheReadTokens * cacheRead;
  return (input * price.input + turn.outputTokens * price.output) / 1_000_000;
};

/**
 * What the turns so far come to, at list prices: an estimate for stopping in time, until the program says its own total.
 * Turns of models without a known price add tokens and no money.
 */
export const usageOfTurns = (turns: Iterable<Turn>): Pick<UsageReport, "usage" | "costUsd" | "estimated"> => {
  const all = [...turns];
  const sum = (count: (turn: Turn) => number) => all.reduce((total, turn) => total + count(turn), 0);
  const priced = all.map(priceOf).filter((price) => price !== null);
  return {
    usage: {
      inputTokens: sum((turn) => turn.inputTokens + turn.cacheWriteTokens),
      outputTokens: sum((turn) => turn.outputTokens),
      cachedInputTokens: sum((turn) => turn.cacheReadTokens),
    },
    ...(priced.length === 0
      ? {}
      : { costUsd: priced.reduce((total, price) => total + price, 0), estimated: true }),
  };
};
