import type { UsageReport } from "../../../ports/agent-adapter.ts";

/** The usage of one answer of a model. */
export interface Turn {
  readonly model: string;
  readonly inputTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of these that is cached for an hour, which costs more. */
  readonly hourCacheWriteTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
}

/** Dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
  /** Price of a cached token relative to a fresh one; default: a tenth. */
  readonly cacheRead?: number;
  /** Prices of all tokens of a request whose prompt, cached tokens included, is longer than `over`. */
  readonly long?: { readonly over: number; readonly input: number; readonly output: number };
}

const opus: Price = { input: 5, output: 25 };
const firstOpus: Price = { input: 15, output: 75 };
const sonnet: Price = { input: 3, output: 15 };

/**
 * The list prices of platform.claude.com/docs/en/about-claude/pricing and of the models' own pages next to it
 * (…/docs/en/models/haiku-5-5/overview and so on), in stored copies of October 2026, looked up 2026-11-21.
 * Each version by its name: a missing one has no price, and its cost is unknown. They exclude fast mode, data residency
 * and individual contracts: the program's own final total replaces the sum.
 */
const prices: Readonly<Record<string, Price>> = {
  "fable-5-1": { input: 10, output: 50, cacheRead: 0.025 },
  "fable-5": { input: 10, output: 50 },
  "mythos-5-1": { input: 10, output: 50, cacheRead: 0.025 },
  "mythos-5": { input: 10, output: 50 },
  "opus-5-5": { input: 4, output: 20, cacheRead: 0.05 },
  "opus-5": opus,
  "opus-4-8": opus,
  "opus-4-7": opus,
  "opus-4-6": opus,
  "opus-4-5": opus,
  "opus-4-1": firstOpus,
  "opus-4": firstOpus,
  "sonnet-5-5": { input: 2, output: 10, cacheRead: 0.05 },
  "sonnet-5": { input: 2, output: 10 },
  "sonnet-4-6": sonnet,
  "sonnet-4-5": sonnet,
  "sonnet-4": sonnet,
  "3-7-sonnet": sonnet,
  "haiku-5-5": { input: 0.1, output: 0.5, long: { over: 100_000, input: 0.5, output: 2.5 } },
  "haiku-4-5": { input: 1, output: 5 },
  "3-5-haiku": { input: 0.8, output: 4 },
};

/** Relative to the price of a fresh input token. */
const cacheWrite = 1.25;
const hourCacheWrite = 2;
const cacheRead = 0.1;

/** The version in a model's id, without a provider's additions (region, date, revision, window). */
const idForm = /(?:^|[./])claude-([a-z0-9-]+?)(?:[-@]\d{8}|-latest)?(?:-v\d+(?::\d+)?)?(?:\[1m\])?$/;

const priceOf = (turn: Turn): number | null => {
  const version = idForm.exec(turn.model)?.[1] ?? "";
  const listed = Object.hasOwn(prices, version) ? prices[version] : undefined;
  if (listed === undefined) return null;
  const { inputTokens, cacheWriteTokens, hourCacheWriteTokens, cacheReadTokens, outputTokens } = turn;
  const prompt = inputTokens + cacheWriteTokens + cacheReadTokens;
  const { input, output } = listed.long !== undefined && prompt > listed.long.over ? listed.long : listed;
  const asFresh =
    inputTokens +
    (cacheWriteTokens - hourCacheWriteTokens) * cacheWrite +
    hourCacheWriteTokens * hourCacheWrite +
    cacheReadTokens * (listed.cacheRead ?? cacheRead);
  return (asFresh * input + outputTokens * output) / 1_000_000;
};

/**
 * Sums the turns so far at list prices: an estimate that lets a budget stop the run, until the program reports its own
 * total. Turns of models without a price add tokens and no money, so the sum is a lower bound. Where no turn has a
 * price, the cost is unknown.
 */
export const usageOfTurns = (turns: Iterable<Turn>, before: TurnsUsage = noUsage): TurnsUsage => {
  let { usage, costUsd } = before;
  for (const turn of turns) {
    const price = priceOf(turn);
    if (price !== null) costUsd = (costUsd ?? 0) + price;
    usage = {
      inputTokens: usage.inputTokens + turn.inputTokens + turn.cacheWriteTokens,
      outputTokens: usage.outputTokens + turn.outputTokens,
      cachedInputTokens: usage.cachedInputTokens + turn.cacheReadTokens,
    };
  }
  return { usage, ...(costUsd === undefined ? {} : { costUsd, estimated: true }) };
};

export type TurnsUsage = Pick<UsageReport, "usage" | "costUsd" | "estimated">;

export const noUsage: TurnsUsage = { usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 } };
