import type { CompanyId, RunId } from "../core/model/shared/ids.ts";

/** One event of a stream, before serialisation. */
export interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

const defaultEventTypes = ["activity.logged", "heartbeat.run.event", "heartbeat.run.log"] as const;

/** heartbeat.run.output carries the length of a run's log, without its text. Sent only to readers that name it in `types`. */
export const outputType = "heartbeat.run.output";

export const eventTypes = [...defaultEventTypes, outputType] as const;

/** Selects events of the stream. */
export interface EventFilter {
  readonly companyIds: readonly CompanyId[];
  /** null: all events of the companies. */
  readonly runId: RunId | null;
  /** null: every type but heartbeat.run.output. */
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
