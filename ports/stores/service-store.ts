import type * as Effect from "effect/Effect";
import type { ServiceId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** One process of the service. While its lease lasts, the runs in its custody are its own affair. */
export interface Service {
  readonly id: ServiceId;
  readonly host: string;
  readonly pid: number;
  readonly role: "api" | "worker" | "all";
  readonly startedAt: Instant;
  readonly leaseUntil: Instant;
}

export interface ServiceStore {
  /** Adds it, or renews its lease. */
  keep(service: Service): Effect.Effect<void>;
  remove(id: ServiceId): Effect.Effect<void>;
}
