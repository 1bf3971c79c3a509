import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { describe, expect, it, vi } from "vitest";
import type { RunId } from "../../core/model/shared/ids.ts";
import { lostRuns } from "../../hosts/composition/jobs/lost-runs.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { Runner } from "../../ports/runners.ts";
import { aRun } from "../support/nouns.ts";

const runnerThat = (endOrphans: ProcessRunner["endOrphans"]): ProcessRunner => ({
  mayOutlive: false,
  scope: "somewhere",
  run: () => Effect.die("not asked"),
  runIdsAlive: () => Effect.succeed(new Set()),
  endOrphans,
});

const patience = { timeout: 60_000, interval: 5 };

/** Recovers runs of a cluster and of this machine while the cluster does what `onCluster` says. */
const scene = (onCluster: ProcessRunner["endOrphans"], play: (parts: Parts) => Promise<void>) => {
  const finished: string[] = [];
  const failures: string[] = [];
  const local = runnerThat(() => Effect.void);
  const cluster = { processes: runnerThat(onCluster) } as Runner;
  return Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const recover = yield* lostRuns({
          runs: { finish: ({ run }) => Effect.sync(() => void finished.push(run.id)) as never },
          processes: local,
          runners: { get: (name) => (name === "cluster" ? cluster : null) },
          captureWorkOf: () => Effect.void,
          onFailure: (what) => failures.push(what),
        });
        yield* Effect.promise(() =>
          play({ finished, failures, recover: (run) => Effect.runPromise(recover(run, true)) }),
        );
      }),
    ),
  );
};

interface Parts {
  readonly finished: string[];
  readonly failures: string[];
  readonly recover: (run: ReturnType<typeof aRun>) => Promise<void>;
}

describe("a lost run", () => {
  it("stays live while its programs cannot be known to have ended, and is tried again", () => {
    let attempts = 0;
    return scene(
      () =>
        Effect.suspend(() => (++attempts === 1 ? Effect.die(new Error("the cluster is away")) : Effect.void)),
      async ({ finished, failures, recover }) => {
        const run = aRun({ status: "running", runner: "cluster" });
        await recover(run);
        await vi.waitFor(() => expect(failures).toEqual(["ending a lost run"]), patience);
        expect(finished).toEqual([]);
        await recover(run);
        await vi.waitFor(() => expect(finished).toEqual([run.id]), patience);
      },
    );
  });

  it("of this machine does not wait for those of an engine that does not answer", () =>
    scene(
      () => Effect.never,
      async ({ finished, recover }) => {
        for (let n = 0; n < 20; n += 1) await recover(aRun({ id: randomUUID() as RunId, runner: "cluster" }));
        const own = aRun({ status: "running", runner: "local" });
        await recover(own);
        await vi.waitFor(() => expect(finished).toEqual([own.id]), patience);
      },
    ));
});
