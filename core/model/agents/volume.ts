import { refusal } from "../shared/failure.ts";
import type { VolumeId } from "../shared/ids.ts";
import type { Instant } from "../shared/instant.ts";

/** The runner on the machines of the services. Only there an agent belongs to a volume. */
export const localRunner = "local";

/** Where an agent's workspace and sessions are. */
export interface Belonging {
  /** null: wherever its next run starts. */
  readonly volume: VolumeId | null;
  readonly volumeSince: Instant | null;
}

/** A volume that a service does not hold itself, as the database knows it. */
export interface OtherVolume {
  /** The machine that last had it. */
  readonly host: string;
  readonly seenAt: Instant;
  /** Its services have been away for longer than the term, unlike the asking one. */
  readonly isAbandoned: boolean;
}

/**
 * The location of an agent's files, as a service sees it: they are here, it has none yet, they are on a volume that is abandoned, or
 * on one that may return.
 */
export type FilesLocation = "here" | "nowhere" | "abandoned" | "elsewhere";

/**
 * Decides where an agent's files are, seen from a service with the volume `own`. The statement that chooses runs repeats it in
 * SQL (`adapters-infra/postgres/volumes.ts`), and a test compares the two in all cases.
 */
export const locateFiles = (
  agent: Pick<Belonging, "volume">,
  own: VolumeId,
  /** null: the database has forgotten it. */
  other: Pick<OtherVolume, "isAbandoned"> | null,
): FilesLocation => {
  if (agent.volume === own) return "here";
  if (agent.volume === null) return "nowhere";
  return (other?.isAbandoned ?? true) ? "abandoned" : "elsewhere";
};

/** A session is resumed only where its files are; one that was stored before volumes existed, wherever its agent runs. */
export const mayResume = (session: { readonly volume: VolumeId | null }, volume: VolumeId | null): boolean =>
  volume !== null && (session.volume === null || session.volume === volume);

/** Describes what an agent loses when it continues without its volume. */
export const lostWith = (host: string | null, sessions: number): string =>
  `It continues without its workspace files on ${host ?? "an unknown host"}${
    sessions === 0 ? "" : ` and without ${sessions === 1 ? "its session" : `its ${sessions} sessions`}`
  }.`;

export class WorkspaceInUse extends refusal(
  "workspace_in_use",
  "conflict",
  "A run is using the agent's workspace. Cancel it or wait until it ends.",
) {}

export class VolumeUnknown extends refusal(
  "volume_unknown",
  "unprocessable",
  "Volume not found. List the volumes to see which exist.",
) {}
