import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scheduler from "effect/Scheduler";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchRequests } from "../../core/access/batch-requests.ts";
import { DatabaseUnavailable, Outage } from "../../ports/outage.ts";

/** Each batch waits for `go`. Requests are numbers; of a batch with a negative one none is carried out. */
const batching = (most = 4) => {
  const batches: (readonly number[])[] = [];
  let go: (() => void)[] = [];
  const carried = batchRequests<number, string, "odd" | "negative">({
    keyOf: (n) => (Math.abs(n) >= 1000 ? "thousands" : "ones"),
    most,
    conflictKeys: (n) => [`${n}`],
    carryOut: (batch) =>
      Effect.gen(function* () {
        batches.push(batch);
        yield* Effect.promise(() => new Promise<void>((resolve) => go.push(resolve)));
        if (batch.includes(666)) throw new Error("a defect");
        if (batch.includes(888)) throw new Outage("away", new DatabaseUnavailable(), null);
        if (batch.some((n) => n < 0)) yield* Effect.fail("negative" as const);
        return batch.map((n) => (n % 2 === 0 ? Effect.succeed(`${n}`) : Effect.fail("odd" as const)));
      }),
  });
  const turn = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    for (const resolve of go.splice(0)) resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    batches,
    carried,
    ask: (n: number) => Effect.runFork(carried(n)),
    answer: (n: number) => Effect.runPromiseExit(carried(n)),
    turn,
    finish: async () => {
      for (let n = 0; n < 200; n++) await turn();
      go = [];
    },
  };
};

describe("Batched requests", () => {
  it("go at once if none is before them, and together if they wait", async () => {
    const { batches, answer, finish } = batching();
    const answers = Promise.all([2, 4, 6, 8, 10, 12].map(answer));
    await finish();
    expect(await answers).toEqual(["2", "4", "6", "8", "10", "12"].map((text) => Exit.succeed(text)));
    expect(batches.length).toBeLessThanOrEqual(3);
    expect(batches.flat()).toEqual([2, 4, 6, 8, 10, 12]);
  });

  it("of different groups do not wait for each other", async () => {
    const { batches, answer, turn } = batching();
    const answers = Promise.all([answer(2), answer(1002)]);
    await turn();
    expect(await answers).toEqual([Exit.succeed("2"), Exit.succeed("1002")]);
    expect(batches).toEqual([[2], [1002]]);
  });

  it("get their own answers: a refused one does not affect the others of its batch", async () => {
    const { answer, finish } = batching();
    const answers = Promise.all([2, 4, 5, 6].map(answer));
    await finish();
    expect(await answers).toEqual([
      Exit.succeed("2"),
      Exit.succeed("4"),
      Exit.fail("odd"),
      Exit.succeed("6"),
    ]);
  });

  it("are carried out one by one if their batch is refused as a whole", async () => {
    const { answer, finish } = batching();
    const answers = Promise.all([2, 4, -6, 8].map(answer));
    await finish();
    expect(await answers).toEqual([
      Exit.succeed("2"),
      Exit.succeed("4"),
      Exit.fail("negative"),
      Exit.succeed("8"),
    ]);
  });

  it("are carried out one by one, in their order, after a defect of their batch: only its cause fails", async () => {
    const { batches, answer, finish } = batching();
    const answers = Promise.all([2, 4, 666, 8].map(answer));
    await finish();
    const exits = await answers;
    expect(exits.filter(Exit.isSuccess)).toEqual([2, 4, 8].map((n) => Exit.succeed(`${n}`)));
    expect(Exit.isFailure(exits[2]!) && Exit.hasDies(exits[2]!)).toBe(true);
    expect(batches).toEqual([[2, 4, 666, 8], [2], [4], [666], [8]]);
  });

  it("are not carried out again after an outage: what happened to them may be unknown", async () => {
    const { batches, answer, finish } = batching();
    const answers = Promise.all([2, 4, 888, 8].map(answer));
    await finish();
    expect((await answers).every(Exit.isFailure)).toBe(true);
    expect(batches).toEqual([[2, 4, 888, 8]]);
    expect(await Promise.all([answer(10), finish()])).toEqual([Exit.succeed("10"), undefined]);
  });

  it("that are interrupted while they wait are never carried out; the others are", async () => {
    const { batches, ask, answer, turn, finish } = batching();
    const first = answer(2);
    await new Promise((resolve) => setImmediate(resolve));
    const waiting = ask(4);
    const other = answer(6);
    await new Promise((resolve) => setImmediate(resolve));
    await Effect.runPromise(Fiber.interrupt(waiting));
    await turn();
    await finish();
    expect(await Promise.all([first, other])).toEqual([Exit.succeed("2"), Exit.succeed("6")]);
    expect(batches.flat()).toEqual([2, 6]);
  });

  it("follow one that is interrupted between any two of its operations", async () => {
    // A fiber gives way to others after so many operations; with fewer it makes no progress.
    for (const operations of [3, 4, 5])
      for (let turns = 0; turns < 20; turns++) {
        const { batches, carried, answer, finish } = batching();
        const first = Effect.runFork(
          carried(2).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, operations)),
        );
        for (let n = 0; n < turns; n++) await new Promise((resolve) => setImmediate(resolve));
        first.interruptUnsafe();
        const next = await Promise.race([answer(4), finish().then(() => "no answer")]);
        expect([operations, turns, next]).toEqual([operations, turns, Exit.succeed("4")]);
        expect(batches.flat().filter((n) => n === 4)).toEqual([4]);
      }
  });

  it("are answered each once and in order, in batches within the bound, even if the first is interrupted", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ n: fc.nat(30), leaves: fc.boolean(), turns: fc.nat(1) }), { maxLength: 30 }),
        async (requests) => {
          const { batches, ask, turn, finish } = batching(3);
          const fibers: { n: number; leaves: boolean; fiber: Fiber.Fiber<string, unknown> }[] = [];
          for (const { n, leaves, turns } of requests) {
            const fiber = ask(n * 2);
            fibers.push({ n: n * 2, leaves, fiber });
            if (turns > 0) await turn();
            if (leaves) await Effect.runPromise(Fiber.interrupt(fiber));
          }
          await finish();
          for (const { n, leaves, fiber } of fibers) {
            const exit = await Effect.runPromise(Fiber.await(fiber));
            if (!leaves) expect(exit).toEqual(Exit.succeed(`${n}`));
          }
          for (const batch of batches) {
            expect(batch.length).toBeLessThanOrEqual(3);
            expect(new Set(batch).size).toBe(batch.length);
          }
          const carried = batches.flat();
          const stayed = fibers.filter(({ leaves }) => !leaves).map(({ n }) => n);
          for (const n of new Set(stayed))
            expect(carried.filter((each) => each === n).length).toBeGreaterThanOrEqual(
              stayed.filter((each) => each === n).length,
            );
        },
      ),
      { numRuns: 30 },
    );
  });
});
