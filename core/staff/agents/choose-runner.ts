import * as Effect from "effect/Effect";
import type { Runners } from "../../../ports/runners.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { RuntimeConfig } from "../../model/agents/agent-config.ts";
import { refusal } from "../../model/shared/failure.ts";

/** Details: the path of the field, and `runners`, the names that this service can use. */
export class RunnerRefused extends refusal(
  "runner_refused",
  "unprocessable",
  "This runner doesn't exist, or you can't choose it.",
) {}

export class RunnerNotFound extends refusal("runner_not_found", "not_found", "Runner not found.") {}

/** Refuses the name of a runner that this service cannot use. */
export const checkRunner = (
  runners: Runners,
  name: string | null | undefined,
  path: readonly string[],
): Effect.Effect<void, RunnerRefused> => {
  if (name == null || runners.get(name) !== null) return Effect.void;
  const usable = runners.all.map((runner) => runner.name);
  const problem = runners.known.find((known) => known.name === name)?.problem;
  return Effect.fail(
    new RunnerRefused(
      { path, runners: usable },
      problem == null
        ? `Runner ${name} not found. Available: ${usable.join(", ")}.`
        : `The runner ${name} can't be used: ${problem}`,
    ),
  );
};

/** An agent may not choose how strongly its colleagues are isolated. */
export const refuseRunnerOf = (
  by: Actor,
  config: RuntimeConfig | undefined,
): Effect.Effect<void, RunnerRefused> =>
  by.kind === "agent" && config?.runner !== undefined
    ? Effect.fail(
        new RunnerRefused(
          { path: ["runtimeConfig", "runner"] },
          "Only the board can choose an agent's runner.",
        ),
      )
    : Effect.void;
