/** Whole tokens. Tokens read from a cache count apart from other input. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
}

export type BillingType = "metered_api" | "subscription_included" | "unknown";

/** Usage of a run since its start. */
export interface UsageReport {
  readonly usage: TokenUsage;
  readonly provider?: string;
  readonly model?: string;
  readonly billingType?: BillingType;
  /** Dollars; absent where unknown. */
  readonly costUsd?: number;
  /** Whether the dollars come from a price list instead of the program. */
  readonly estimated?: boolean;
}

/** The windows of an account's usage that a program has reported; others stay as they were. */
export interface LimitReport {
  readonly windows: readonly LimitWindow[];
}

export interface LimitWindow {
  /** As the provider names it. */
  readonly name: string;
  /** rejected: the provider refuses requests until the reset. Absent where the program does not tell. */
  readonly status?: "allowed" | "warning" | "rejected";
  readonly usedPercent?: number;
  readonly windowMinutes?: number;
  /** ISO 8601. */
  readonly resetsAt?: string;
}
