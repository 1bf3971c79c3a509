import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Scheduler from "effect/Scheduler";
import { expect, it } from "vitest";
import { latestOnly } from "../../core/runs/latest-only.ts";

it("the last value is taken in, whenever it arrives", async () => {
  for (let turns = 0; turns < 20; turns++) {
    const started: string[] = [];
    const take = latestOnly((value: string) => Effect.sync(() => void started.push(value)));
    // It gives way to others after each of its operations.
    const first = Effect.runFork(take("first").pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, 3)));
    for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve));
    await Effect.runPromise(take("last"));
    await Effect.runPromise(Fiber.join(first));
    expect([turns, started.at(-1)]).toEqual([turns, "last"]);
  }
});

it("a value that cannot be taken in does not keep the next from it", async () => {
  const started: string[] = [];
  const take = latestOnly((value: string) =>
    value === "bad" ? Effect.die("bad") : Effect.sync(() => void started.push(value)),
  );
  await Effect.runPromiseExit(take("bad"));
  await Effect.runPromise(take("good"));
  expect(started).toEqual(["good"]);
});
