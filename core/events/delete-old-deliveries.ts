import * as Effect from "effect/Effect";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import { addSeconds } from "../model/shared/instant.ts";

/** For how long a delivery is listed, and can be sent again. */
const retentionDays = 14;
const batch = 1_000;

/** Deletes deliveries that ended long ago. */
export const deleteOldDeliveries = (context: UseCaseContext) => () =>
  Effect.repeat(
    transactAsSystem(context, "events.deleteOldDeliveries", function* ({ events, at }) {
      return yield* events.deleteBefore(addSeconds(at, -retentionDays * 86_400), batch);
    }),
    { while: (count) => count === batch },
  );
