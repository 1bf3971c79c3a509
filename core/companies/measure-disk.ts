import type * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { addSeconds } from "../model/shared/instant.ts";
import { projectDiskUse } from "../model/workspaces/project-disk-use.ts";

/** The samples read little, but of every table. */
const everySec = 3_600;

/** Measures what each company and project has on disks, unless a service of the database has done so within the hour. */
export const measureDisk = (transactor: Transactor, clock: Clock) => (): Effect.Effect<void> =>
  transact(transactor, function* ({ services, trees, repositories }) {
    const at = clock.now();
    if (!(yield* services.beginDiskUse(at, addSeconds(at, -everySec)))) return;
    const companies = yield* services.measureDisk();
    const projects = projectDiskUse(yield* trees.folders(), yield* repositories.storeSizes());
    yield* services.saveDiskUse({ at, companies, projects });
  });
