import type * as Effect from "effect/Effect";
import type { VolumeId } from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";

/** A volume: it keeps the workspaces and sessions of agents on the machines of services. */
export interface VolumeView {
  readonly volume: VolumeId;
  /** The machine that last held it. */
  readonly host: string;
  /** Whether a live service holds it, which can start runs there. */
  readonly reachable: boolean;
  readonly lastSeenAt: Instant;
  /** When its agents may continue elsewhere; null while it is reachable. */
  readonly givenUpAt: Instant | null;
}

/** Where an agent works. */
export interface WorkspaceView extends VolumeView {
  readonly since: Instant;
}

export interface VolumeDetailView extends VolumeView {
  /** The services that hold it and are alive. */
  readonly services: readonly {
    readonly id: string;
    /** With its boot and container, where the system tells. */
    readonly host: string;
    readonly role: string;
    readonly startedAt: Instant;
  }[];
  /** How many agents belong to it, without terminated ones. */
  readonly agents: number;
  readonly runsRunning: number;
}

export interface VolumeViews {
  /** By host. */
  list(): Effect.Effect<readonly VolumeDetailView[]>;
}
