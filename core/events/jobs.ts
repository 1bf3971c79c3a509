import * as Effect from "effect/Effect";
import type { Job } from "../access/job.ts";
import type { ServiceId } from "../model/shared/ids.ts";
import type { Events } from "./index.ts";
import type { InBackground } from "./send-events.ts";

/** A busy company announces events without a pause: it costs as much as a quiet one. */
const gapMs = 100;

export const eventJobs = (
  events: Pick<Events, "send" | "deleteOld">,
  serviceId: ServiceId,
  inBackground: InBackground,
): readonly Job[] => [
  {
    name: "sending events",
    everyMs: 1_000,
    on: "events",
    run: Effect.tap(
      Effect.suspend(() => events.send(serviceId, inBackground)),
      () => Effect.sleep(gapMs),
    ),
  },
  {
    name: "deleting old event deliveries",
    everyMs: 3_600_000,
    sequential: true,
    run: Effect.suspend(() => events.deleteOld()),
  },
];
