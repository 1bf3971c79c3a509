import * as Effect from "effect/Effect";
import { z } from "zod";
import { RunnerNotFound } from "../../../core/staff/agents/choose-runner.ts";
import { actingOnInstance } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { RunnerReportShape, RunnerShape } from "./runner-shapes.ts";

export const runners = {
  list: endpoint({
    method: "GET",
    path: "/api/runners",
    summary: "List the runners of agents' programs",
    description:
      "`local` is the machine of the service; the others are the operator's templates in `runners/` of the data directory.",
    access: actingOnInstance("inspect"),
    returns: z.array(RunnerShape).readonly(),
    run: ({ runners }) =>
      Effect.sync(() => runners.known.map((known) => ({ ...known, usual: known.name === runners.default }))),
  }),
  check: endpoint({
    method: "POST",
    path: "/api/runners/{runnerName}/check",
    summary: "Check whether agents' programs can run on a runner",
    description:
      "On an engine, starts a program that calls the service, and leaves nothing behind. For local, says how far agents are isolated.",
    access: actingOnInstance("inspect"),
    returns: RunnerReportShape,
    failures: [RunnerNotFound],
    run: ({ runners }, { runnerName }) =>
      Effect.gen(function* () {
        const runner = runners.get(runnerName);
        const problem = runners.known.find(({ name }) => name === runnerName)?.problem ?? null;
        if (runner === null && problem === null) return yield* Effect.fail(new RunnerNotFound());
        const checks =
          runner === null
            ? [{ level: "error" as const, code: "runner_template_invalid", message: problem ?? "" }]
            : yield* runner.check();
        const status = checks.some(({ level }) => level === "error") ? ("fail" as const) : ("pass" as const);
        return { name: runnerName, status, checks };
      }),
  }),
};
