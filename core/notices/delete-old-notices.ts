import * as Effect from "effect/Effect";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import { addSeconds } from "../model/shared/instant.ts";

const storedDays = 30;
const batch = 1_000;

/** Deletes notices of subjects that were decided long ago, and browsers that get none any more. */
export const deleteOldNotices = (context: UseCaseContext) => () =>
  Effect.repeat(
    transactAsSystem(context, "notices.deleteOld", function* ({ notices, push, at }) {
      const deleted = yield* notices.deleteBefore(addSeconds(at, -storedDays * 86_400), batch);
      return Math.max(deleted, yield* push.deleteEnded(at, batch));
    }),
    { while: (count) => count === batch },
  );
