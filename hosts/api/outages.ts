import * as Cause from "effect/Cause";
import { DatabaseUnavailable, Outage } from "../../ports/outage.ts";

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

/** The last accident of this process, for health: what reads while it cannot write looks well otherwise. */
export const recentOutages = (now: () => string) => {
  let last: (RecentOutage & { readonly heardMs: number }) | null = null;
  return {
    note: ({ meaning }: Outage): void => {
      last = { code: meaning.code, error: meaning.message, at: now(), heardMs: performance.now() };
    },
    recent: (): RecentOutage | null => {
      if (last === null || performance.now() - last.heardMs > rememberedMs) return null;
      const { heardMs: _, ...told } = last;
      return told;
    },
  };
};

/** How long health waits for a database that accepts connections and says nothing. */
export const healthPatienceMs = 5_000;

export const databaseSilent = (): Outage =>
  new Outage(`The database has not answered within ${healthPatienceMs} ms.`, new DatabaseUnavailable(), null);
