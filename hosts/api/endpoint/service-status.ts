import type { Caps } from "../../../core/runs/gate.ts";
import type { Outage } from "../../../ports/outage.ts";
import type { EventFeed, EventFilter } from "./event-feed.ts";
import type { RecentOutage } from "./outages.ts";

/** What a running service knows of itself, for the endpoints that report on it. */
export interface ServiceStatus {
  /** Of one attachment or logo. */
  readonly attachmentMaxBytes: number;
  readonly version: string;
  readonly role: "api" | "worker" | "all";
  readonly startedAt: string;
  /** Seconds since the background work last went round; null where this process does none. */
  tickAgeSec(): number | null;
  /** How far agents' programs are kept apart from the service and from other companies'; sentences on what is not. */
  readonly separation: { readonly level: "separated" | "partly" | "not"; readonly gaps: readonly string[] };
  readonly caps: Caps;
  /** Within this time a run whose service is gone has ended. */
  readonly recoveryBoundSec: number;
  /** How the processes of a run are found. */
  processContainment(): "cgroup" | "process_table";
  /** Told of an accident that a request or the background work met. */
  noteOutage(outage: Outage): void;
  /** The last one, of the last half minute, or that the data directory's disk is full; null where all is well. */
  recentOutage(): Promise<RecentOutage | null>;
  /** Text of the Prometheus exposition format. */
  metrics(): Promise<string>;
  /** Where the service is reached from outside, without a slash at the end. */
  address(): string;
  /** What happens in companies, or in one run. */
  follow(filter: EventFilter): EventFeed;
  /** The API description, OpenAPI 3.1. */
  openapi(): Readonly<Record<string, unknown>>;
}
