import * as Cause from "effect/Cause";
import { DatabaseUnavailable, Outage, StorageFull } from "../../../ports/outage.ts";

/** The accident behind a failure, where it is of a kind that callers are told; null for all other defects. */
export const outageIn = (cause: Cause.Cause<unknown>): Outage | null =>
  cause.reasons
    .filter(Cause.isDieReason)
    .map(({ defect }) => defect)
    .find((defect) => defect instanceof Outage) ?? null;

/** How long an accident is told of after it happened last. */
const rememberedMs = 30_000;

export interface RecentOutage {
  readonly code: string;
  readonly error: string;
  readonly at: string;
}

/** With less than this the next file, or page of the database, may be refused: one segment of its log is as large. */
const roomNeededBytes = 16 * 1024 * 1024;

/**
 * The last accident of this process, for health: what reads while it cannot write looks well otherwise. `freeBytes` is
 * asked where there was none: a full disk is known before somebody runs into it; null: it cannot be told.
 */
export const recentOutages = (now: () => string, freeBytes: () => Promise<number | null>) => {
  let last: (RecentOutage & { readonly heardMs: number }) | null = null;
  return {
    note: ({ meaning }: Outage): void => {
      last = { code: meaning.code, error: meaning.message, at: now(), heardMs: performance.now() };
    },
    recent: async (): Promise<RecentOutage | null> => {
      if (last !== null && performance.now() - last.heardMs <= rememberedMs) {
        const { heardMs: _, ...told } = last;
        return told;
      }
      const free = await freeBytes();
      return free === null || free >= roomNeededBytes
        ? null
        : { code: StorageFull.code, error: StorageFull.sentence, at: now() };
    },
  };
};

export const databaseSilent = (afterMs: number): Outage =>
  new Outage(`The database has not answered within ${afterMs} ms.`, new DatabaseUnavailable(), null);
