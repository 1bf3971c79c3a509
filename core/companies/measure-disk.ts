import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { addSeconds } from "../shared/instant.ts";

/** The samples read little, but of every table. */
const everySec = 3_600;

/** Measures what each company has on disks, unless a service of the database has done so within the hour. */
export const measureDisk = (transactor: Transactor, clock: Clock) => (): Effect.Effect<void> =>
  transactor.transact(({ services }) =>
    Effect.gen(function* () {
      const at = clock.now();
      if (!(yield* services.beginDiskUse(at, addSeconds(at, -everySec)))) return;
      yield* services.saveDiskUse({ at, companies: yield* services.measureDisk() });
    }),
  );
