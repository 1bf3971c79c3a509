import type * as Effect from "effect/Effect";
import type { ScheduledBackups } from "../../core/model/backups/backup-schedule.ts";
import type { ManualBackups } from "../../core/model/backups/without-backup.ts";
import type { CompanyDiskUse } from "../../core/model/companies/disk-use.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { ProjectDiskUse } from "../../core/model/workspaces/project-disk-use.ts";

/** The amount of waiting work, and its age. */
export interface Operations {
  readonly runsQueued: number;
  readonly runsRunning: number;
  readonly wakesPending: number;
  readonly oldestPendingWakeAt: Instant | null;
  /** The oldest wake whose run could start now but for a free slot: it waits for no live run, provider, person or host. */
  readonly oldestStartableWakeAt: Instant | null;
  /** The time since which the oldest running run of a dead service lacks supervision; null without such a run. */
  readonly oldestLostRunAt: Instant | null;
  /** The earliest tick of an active schedule that is due and has not fired. */
  readonly oldestDueTickAt: Instant | null;
  /** Queued runs that the loop breaker holds. */
  readonly runsHeld: number;
  /** Accounts with a provider's hold. */
  readonly accountsHeld: readonly { readonly adapterType: string; readonly notBefore: Instant }[];
  /** Queued runs by adapter type, ordered by type. */
  readonly queuedByAdapter: readonly { readonly adapterType: string; readonly runs: number }[];
  readonly services: number;
  /** Since when the agents of a restored database are held; null where they are not. */
  readonly heldAsRestoredSince: Instant | null;
}

export interface NamedProjectDiskUse extends ProjectDiskUse {
  readonly companyName: string;
  readonly projectName: string;
}

export interface NamedDiskUse {
  readonly at: Instant;
  readonly companies: readonly (CompanyDiskUse & { readonly companyName: string })[];
  readonly projects: readonly NamedProjectDiskUse[];
}

/** A workspace in which a run left work that could not be kept. */
export interface UncapturedWork {
  readonly workspaceId: string;
  readonly companyName: string;
  /** Of its issue, such as boardroom/ABC-1; null: it has none yet. */
  readonly branch: string | null;
  readonly problem: string;
}

/** A pack of a run that is not whole and could not be written anew. */
export interface PackNotWhole {
  readonly runId: string;
  readonly companyName: string;
  /** Of its issue, such as boardroom/ABC-1. */
  readonly branch: string;
  readonly problem: string;
}

export interface OperationsViews {
  /** Returns the current numbers; dies when the database does not answer. */
  now(at: Instant): Effect.Effect<Operations>;
  /** The scheduled backups; null where none were scheduled yet. */
  backups(): Effect.Effect<ScheduledBackups | null>;
  /** The last backup by the command, and since when the database is in use. */
  manualBackups(): Effect.Effect<ManualBackups>;
  /** Workspaces with work that could not be kept when that was last tried; the first ones. */
  uncaptured(limit: number): Effect.Effect<readonly UncapturedWork[]>;
  /** The first ones. */
  packsNotWhole(limit: number): Effect.Effect<readonly PackNotWhole[]>;
  /** The bytes of companies and projects on disks; null where they were not measured yet. */
  disk(): Effect.Effect<NamedDiskUse | null>;
}
