import { setTimeout } from "node:timers/promises";
import type { ArchiveWriter } from "../../../adapters-infra/backup/archive-writer.ts";
import type { MakeBackup } from "./make-backup.ts";

/**
 * How many times as long as it has worked a backup rests, so that the callers of a service keep their rate (the rows
 * mixed-backup and mixed-scheduled of the bench). A command works at the lowest priority, a service in its own process.
 */
const restPerWork = { manual: 4, scheduled: 9, before_migration: 0 } as const;
/** Less work than that is not worth a timer. */
const leastWorkMs = 50;

/** Says after each piece of work how long to rest now, in milliseconds: not at all where no service is on the database. */
export const pace = (kind: MakeBackup["kind"], hasLiveService: boolean): ((workedMs: number) => number) => {
  let worked = 0;
  return (workedMs) => {
    worked += workedMs;
    if (!hasLiveService || worked < leastWorkMs) return 0;
    const restMs = worked * restPerWork[kind];
    worked = 0;
    return restMs;
  };
};

/** Rests between entries; the time until the next one counts as work. */
export const restingWriter = (
  archive: Pick<ArchiveWriter, "add">,
  restAfter: (workedMs: number) => number,
): Pick<ArchiveWriter, "add"> => {
  let since = performance.now();
  return {
    add: async (name, data) => {
      const part = await archive.add(name, data);
      const restMs = restAfter(performance.now() - since);
      if (restMs > 0) await setTimeout(restMs);
      since = performance.now();
      return part;
    },
  };
};
