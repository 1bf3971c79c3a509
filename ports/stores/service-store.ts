import type * as Effect from "effect/Effect";
import type { ServiceId } from "../../core/shared/ids.ts";
import type { Instant } from "../../core/shared/instant.ts";

/** One process of the service. While its lease lasts, no other service touches the runs that it supervises. */
export interface Service {
  readonly id: ServiceId;
  /** The machine, as far as its processes can be seen from there: boots and containers count as machines. */
  readonly host: string;
  readonly pid: number;
  /** With the pid, what tells this process from a later one of the same number; null where a service never said. */
  readonly processStartedAt: string | null;
  readonly role: "api" | "worker" | "all";
  readonly startedAt: Instant;
}

export interface ServiceStore {
  /**
   * Adds it, or renews its lease, by the clock of the database, which all services share. True where the lease had not
   * ended before: the service has been there all the time, and so has the database.
   */
  keep(service: Service, leaseSec: number): Effect.Effect<boolean>;
  remove(id: ServiceId): Effect.Effect<void>;
  /** All services of a host, whether their leases last or not. */
  onHost(host: string): Effect.Effect<readonly Service[]>;
}
