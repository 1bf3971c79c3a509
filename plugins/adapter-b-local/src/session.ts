import type { SessionCodec, TokenUsage } from "../../../ports/agent-adapter.ts";
import { asSession, type CliSession } from "../../kit/cli-session.ts";
import { asCount, asObject } from "../../kit/json.ts";

/**
 * A session with the tokens of earlier runs: the program counts from the beginning of a session, not of a run
 * (0.169.0).
 */
export interface CodexSession extends CliSession {
  readonly counted: TokenUsage;
}

export const asCodexSession = (raw: unknown): CodexSession | null => {
  const session = asSession(raw);
  if (session === null) return null;
  const counted = asObject(asObject(raw)?.counted) ?? {};
  return {
    ...session,
    counted: {
      inputTokens: asCount(counted.inputTokens),
      outputTokens: asCount(counted.outputTokens),
      cachedInputTokens: asCount(counted.cachedInputTokens),
    },
  };
};

/** Computes the usage of a run from the totals of its session; `before` is the total at its beginning. */
export const usageSince = (total: TokenUsage, before: TokenUsage | null): TokenUsage => {
  // Totals below the earlier ones belong to a restarted count.
  if (before === null || total.outputTokens < before.outputTokens) return total;
  const since = (key: keyof TokenUsage) => Math.max(0, total[key] - before[key]);
  return {
    inputTokens: since("inputTokens"),
    outputTokens: since("outputTokens"),
    cachedInputTokens: since("cachedInputTokens"),
  };
};

const plain = (session: CodexSession | null) => (session === null ? null : { ...session });

export const sessionCodec: SessionCodec = {
  deserialize: (raw) => plain(asCodexSession(raw)),
  serialize: (params) => plain(asCodexSession(params)),
  getDisplayId: (params) => asSession(params)?.sessionId ?? null,
};
