import type * as Effect from "effect/Effect";
import type { Caps } from "../../../core/model/runs/gate.ts";
import type { HistoryRetention } from "../../../core/runs/delete-old-history.ts";
import type { EventFeed, EventFilter } from "../../../ports/event-feed.ts";
import type { Outage } from "../../../ports/outage.ts";
import type { LimitKeeper } from "../../../ports/process-runner.ts";
import type { RecentOutage } from "./outages.ts";

/** The status of the running service, for the endpoints that report it. */
export interface ServiceStatus {
  /** The limit of one attachment or logo. */
  readonly attachmentMaxBytes: number;
  readonly version: string;
  readonly role: "api" | "worker" | "all";
  readonly startedAt: string;
  /** Seconds since the last round of background work; null if this process does none. */
  tickAgeSec(): number | null;
  /** How far agents' programs are isolated from the service and from other companies', with the gaps as sentences. */
  readonly separation: { readonly level: "separated" | "partly" | "not"; readonly gaps: readonly string[] };
  readonly caps: Caps;
  /** How long history is retained. */
  readonly retention: HistoryRetention;
  /** The time within which a run whose service is gone ends. */
  readonly recoveryBoundSec: number;
  /** How the processes of a run are found. */
  processContainment(): "cgroup" | "process_table";
  runLimits(): LimitKeeper;
  /** Records that a stop was requested, while the service still answers. */
  beginStop(): void;
  isStopping(): boolean;
  /** Records an outage of a request or the background work. */
  recordOutage(outage: Outage): void;
  /** The last outage of the last half minute, or a full disk of the data directory; null without one. */
  recentOutage(): Promise<RecentOutage | null>;
  /** Metrics in the Prometheus exposition format. */
  metrics(): Effect.Effect<string>;
  /** The public address of the service, without a trailing slash. */
  address(): string;
  /** Follows the events of companies or of one run. */
  follow(filter: EventFilter): EventFeed;
  /** The API description, OpenAPI 3.1. */
  openapi(): Readonly<Record<string, unknown>>;
}
