import type * as Effect from "effect/Effect";
import type { EntityType } from "../../core/model/activity/activity-entry.ts";
import type { CompanyId, RunId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

export interface ActivityView {
  readonly id: string;
  readonly companyId: CompanyId;
  readonly actorType: "board" | "agent" | "system";
  readonly actorId: string | null;
  /** null: the system, or an actor that is no more. */
  readonly actorName: string | null;
  /** The name of the assistant that acted for the person. */
  readonly assistant: string | null;
  readonly runId: RunId | null;
  readonly action: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly createdAt: Instant;
}

/** Selects entries: all given conditions must hold. */
export interface ActivityFilter {
  readonly companyId: CompanyId;
  readonly entityType?: string | undefined;
  readonly entityId?: string | undefined;
  readonly actorId?: string | undefined;
  /** Written then or later. */
  readonly from?: Instant | undefined;
  /** Written before then. */
  readonly to?: Instant | undefined;
  /** Words of the details: names, titles, identifiers, beginnings of comments. */
  readonly query?: string | undefined;
}

export interface ActivityViews {
  /** Newest first. */
  list(filter: ActivityFilter, page: PageRequest): Effect.Effect<Page<ActivityView>, CursorInvalid>;
}
