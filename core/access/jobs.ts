import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Idempotency } from "../../ports/idempotency.ts";
import type { Job } from "./job.ts";

export const accessJobs = (idempotency: Pick<Idempotency, "sweep">, clock: Clock): readonly Job[] => [
  {
    name: "deleting old idempotency keys",
    everyMs: 10 * 60_000,
    sequential: true,
    run: Effect.suspend(() => idempotency.sweep(clock.now())),
  },
];
