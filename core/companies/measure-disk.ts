import type * as Effect from "effect/Effect";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import { addSeconds } from "../model/shared/instant.ts";
import { projectDiskUse } from "../model/workspaces/project-disk-use.ts";

/** Samples are small, but touch every table. */
const everySec = 3_600;

/** Measures what each company and project has on disks, unless a service of the database has done so within the hour. */
export const measureDisk = (context: UseCaseContext) => (): Effect.Effect<void> =>
  transactAsSystem(context, "companies.measureDisk", function* (unit) {
    if (!(yield* unit.services.beginDiskUse(unit.at, addSeconds(unit.at, -everySec)))) return;
    const companies = yield* unit.services.measureDisk();
    const projects = projectDiskUse(
      yield* unit.issueWorkspaces.folders(),
      yield* unit.repositories.storeSizes(),
    );
    yield* unit.services.saveDiskUse({ at: unit.at, companies, projects });
  });
