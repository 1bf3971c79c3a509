import * as Effect from "effect/Effect";
import type { Job } from "../access/job.ts";
import type { InBackground } from "../events/send-events.ts";
import type { ServiceId } from "../model/shared/ids.ts";
import type { Notices } from "./index.ts";

export const noticeJobs = (
  notices: Pick<Notices, "send" | "deleteOld">,
  serviceId: ServiceId,
  inBackground: InBackground,
): readonly Job[] => [
  {
    name: "sending notices",
    // The inbox of a person is read at most once a second, however much happens.
    everyMs: 1_000,
    run: Effect.suspend(() => notices.send(serviceId, inBackground)),
  },
  {
    name: "deleting old notices",
    everyMs: 3_600_000,
    sequential: true,
    run: Effect.suspend(() => notices.deleteOld()),
  },
];
