import type * as Effect from "effect/Effect";
import type { CompanyId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** A place in the stream of everything that happens in the companies: after it, nothing earlier can appear any more. */
export type StreamPosition = string;

/** One thing that happened, as followers are told it. */
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
  /** Where the part ends: whoever has it goes on after this place. */
  readonly upTo: StreamPosition;
  /** Whether there may be more already: the part is full, or transactions that are still open hold others back. */
  readonly more: boolean;
}

export interface StreamViews {
  /** The place where the stream ends now. */
  end(): Effect.Effect<StreamPosition>;
  /** What came after the place, oldest first. After a place that is none comes nothing. */
  after(position: StreamPosition, companyIds: readonly CompanyId[], limit: number): Effect.Effect<StreamPart>;
  isPosition(text: string): boolean;
}
