import type { CompanyId, RunId } from "../../../core/shared/ids.ts";

/** One event of a stream, before serialisation. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

export const eventTypes = ["activity.logged", "heartbeat.run.event", "heartbeat.run.log"] as const;

/** Selects events of the stream. */
export interface EventFilter {
  readonly companyIds: readonly CompanyId[];
  /** null: all events of the companies. */
  readonly runId: RunId | null;
  /** null: every type. */
  readonly types: readonly (typeof eventTypes)[number][] | null;
  /** Limits pieces of logs to these runs; null: those of all runs. */
  readonly logOfRunIds: readonly RunId[] | null;
}

export interface EventFeed {
  /** The companies whose events it holds. */
  readonly companyIds: readonly CompanyId[];
  /**
   * Resolves once the start position is known: no later event is missed. Yields simultaneous events together;
   * followers with the same filter share the array.
   */
  begin(lastEventId: string | null, gone: AbortSignal): Promise<AsyncIterable<readonly StreamedEvent[]>>;
}
