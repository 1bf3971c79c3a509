import type { Instant } from "../shared/instant.ts";

/** The hold of a database that was restored from a backup, so that it and the original never work at once. */
export interface Restored {
  readonly heldSince: Instant;
  /** null: no run starts until an instance admin releases the agents. */
  readonly releasedAt: Instant | null;
}

export const isHeldAsRestored = (restored: Restored | null): boolean =>
  restored !== null && restored.releasedAt === null;

/** Whether a timer or schedule was due before the release: that time belongs to the original. */
export const belongsToOriginal = (restored: Restored | null, dueAt: Instant): boolean =>
  restored !== null && (restored.releasedAt === null || dueAt <= restored.releasedAt);
