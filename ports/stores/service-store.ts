import type * as Effect from "effect/Effect";
import type { ScheduledBackups } from "../../core/model/backups/backup-schedule.ts";
import type { CompanyDiskUse, DiskUse } from "../../core/model/companies/disk-use.ts";
import type { Restored } from "../../core/model/runs/restored.ts";
import type { ServiceId, VolumeId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** One process of the service. During its lease, no other service takes over its runs. */
export interface Service {
  readonly id: ServiceId;
  /** The machine on which it runs: another boot or container is another host. */
  readonly host: string;
  readonly pid: number;
  /** With the pid, identifies this process; null where a service did not report it. */
  readonly processStartedAt: string | null;
  /** Where it finds and ends programs (`ProcessRunner.scope`). */
  readonly scopes: readonly string[];
  readonly role: "api" | "worker" | "all";
  readonly startedAt: Instant;
  /** Where services of its host find the programs that it leaves; none: they end with it. */
  readonly handoverFolders: readonly string[];
  /** How long these live without a service, with the time to end them; 0: they end with it. */
  readonly handoverSec: number;
}

/** Where a service keeps the workspaces of agents, and for whom it does. */
export interface ServiceVolume {
  readonly id: VolumeId;
  /** The name of the machine, for people. */
  readonly host: string;
  /** How long its agents wait for it after the lease of its last service has ended. */
  readonly termSec: number;
}

export interface ServiceStore {
  /**
   * Adds it, or renews its lease and its volume's by the clock of the database, which all services share. Returns the
   * time of the renewal before; null: none. The first service after all others were away gives every volume its whole term
   * again.
   */
  keep(service: Service, volume: ServiceVolume, leaseSec: number): Effect.Effect<Instant | null>;
  remove(id: ServiceId): Effect.Effect<void>;
  /** The live services with that volume. */
  holding(volume: VolumeId): Effect.Effect<readonly Pick<Service, "id" | "host">[]>;
  /** The volume as last reported; null where none had that id, or it is forgotten. */
  findVolume(id: VolumeId): Effect.Effect<Pick<ServiceVolume, "id" | "host"> | null>;
  /** The hold of a restored database; null where it was not restored. */
  restored(): Effect.Effect<Restored | null>;
  /** As `restored`, until the end of the transaction only for the caller. */
  lockRestored(): Effect.Effect<Restored | null>;
  /** Ends that hold, and announces the queued runs. */
  release(at: Instant): Effect.Effect<void>;
  /** The scheduled backups, until the end of the transaction only for the caller; null where none were scheduled yet. */
  lockBackups(): Effect.Effect<ScheduledBackups | null>;
  saveBackups(backups: ScheduledBackups): Effect.Effect<void>;
  /** Whether disks were last measured before that time; then the caller measures them, and others wait for its end. */
  beginDiskUse(at: Instant, before: Instant): Effect.Effect<boolean>;
  /** The bytes of each company on disks now. */
  measureDisk(): Effect.Effect<readonly CompanyDiskUse[]>;
  saveDiskUse(use: DiskUse): Effect.Effect<void>;
  /** Whether the service has a valid lease. */
  isLive(id: ServiceId): Effect.Effect<boolean>;
  /** All services of a host, with or without a valid lease. */
  onHost(host: string): Effect.Effect<readonly Service[]>;
}
