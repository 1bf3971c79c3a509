import { setTimeout } from "node:timers/promises";
import type { ArchiveWriter } from "../../../adapters-infra/backup/archive-writer.ts";
import { type BackupKind, backupKinds } from "./backup-kind.ts";

/** Less work than that is not worth a timer. */
const leastWorkMs = 50;

/** Says after each piece of work how long to rest now, in milliseconds: not at all where no service is on the database. */
export const pace = (kind: BackupKind, hasLiveService: boolean): ((workedMs: number) => number) => {
  let worked = 0;
  return (workedMs) => {
    worked += workedMs;
    if (!hasLiveService || worked < leastWorkMs) return 0;
    const restMs = worked * backupKinds[kind].restPerWork;
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
