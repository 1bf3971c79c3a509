import * as Cause from "effect/Cause";
import { DatabaseTooSlow, DatabaseUnavailable, Outage, StorageFull } from "../../../ports/outage.ts";

/** The outage behind a failure, if it is of a kind that callers see; null for all other defects. */
export const outageIn = (cause: Cause.Cause<unknown>): Outage | null =>
  cause.reasons
    .filter(Cause.isDieReason)
    .map(({ defect }) => defect)
    .find((defect) => defect instanceof Outage) ?? null;

/** How long an outage is reported after it last occurred. */
const rememberedMs = 30_000;

export interface RecentOutage {
  readonly code: string;
  readonly error: string;
  readonly at: string;
}

/** Below this the next write may fail: the size of one WAL segment. */
const roomNeededBytes = 16 * 1024 * 1024;

/**
 * Remembers the last outage of this process, for health: a service that can read but not write looks healthy
 * otherwise. Without one, `freeBytes` detects a full disk before a write fails; null: unknown.
 */
export const recentOutages = (now: () => string, freeBytes: () => Promise<number | null>) => {
  let last: (RecentOutage & { readonly heardMs: number }) | null = null;
  return {
    note: ({ meaning }: Outage): void => {
      // A single oversized request is no outage.
      if (meaning.code === DatabaseTooSlow.code) return;
      last = { code: meaning.code, error: meaning.message, at: now(), heardMs: performance.now() };
    },
    recent: async (): Promise<RecentOutage | null> => {
      if (last !== null && performance.now() - last.heardMs <= rememberedMs) {
        const { heardMs: _, ...outage } = last;
        return outage;
      }
      const free = await freeBytes();
      return free === null || free >= roomNeededBytes
        ? null
        : { code: StorageFull.code, error: StorageFull.sentence, at: now() };
    },
  };
};

export type RecentOutages = ReturnType<typeof recentOutages>;

export const databaseSilent = (afterMs: number): Outage =>
  new Outage(`The database has not answered within ${afterMs} ms.`, new DatabaseUnavailable(), null);
