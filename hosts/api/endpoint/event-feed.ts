import type { CompanyId, RunId } from "../../../core/shared/ids.ts";

/** One event of a stream, before it is written for server-sent events. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export const eventTypes = ["activity.logged", "heartbeat.run.event", "heartbeat.run.log"] as const;

/** What of the stream a follower is told. */
export interface EventFilter {
  readonly companyIds: readonly CompanyId[];
  /** null: everything of the companies. */
  readonly runId: RunId | null;
  /** null: every type. */
  readonly types: readonly (typeof eventTypes)[number][] | null;
}

export interface EventFeed {
  /** Whose events it holds. */
  readonly companyIds: readonly CompanyId[];
  /**
   * Resolves once it is known where the feed begins: from then on nothing is missed. Gives what comes at the same time
   * together; followers of the same are given the same array.
   */
  begin(lastEventId: string | null, gone: AbortSignal): Promise<AsyncIterable<readonly StreamedEvent[]>>;
}
