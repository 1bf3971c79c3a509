import type * as Effect from "effect/Effect";
import type { CompanyId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** A position in the stream of all companies' events: no earlier event can appear after it. */
export type StreamPosition = string;

/** One event, as followers receive it. */
export interface StreamEvent {
  readonly position: StreamPosition;
  readonly companyId: CompanyId;
  readonly at: Instant;
  readonly type: "activity.logged" | "heartbeat.run.event" | "heartbeat.run.log";
  /**
   * activity.logged: the activity row. heartbeat.run.event: the run event. heartbeat.run.log: runId, byteOffset, bytes
   * and blobKey of a segment.
   */
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface StreamPart {
  readonly events: readonly StreamEvent[];
  /** The end of the part: the reader continues after this position. */
  readonly upTo: StreamPosition;
  /** Whether there may be more already: the part is full, or open transactions hold back later events. */
  readonly more: boolean;
  /** Whether events after the position were deleted: what follows is not all. */
  readonly hasGap: boolean;
}

export interface StreamViews {
  /** Returns the current end of the stream. */
  end(): Effect.Effect<StreamPosition>;
  /** Returns events after the position, oldest first. Returns none for an invalid position. */
  after(position: StreamPosition, companyIds: readonly CompanyId[], limit: number): Effect.Effect<StreamPart>;
  isPosition(text: string): boolean;
}
