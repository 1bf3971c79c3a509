import * as Effect from "effect/Effect";
import type { Runners } from "../../ports/runners.ts";
import type { captureWorkspace } from "../code/workspaces/capture-workspace.ts";
import { localRunner } from "../model/agents/volume.ts";
import type { Run } from "../model/runs/run.ts";
import type { Runs } from "./index.ts";

export interface CaptureWorkParts {
  readonly runs: Pick<Runs, "recordEvent">;
  readonly runners: Pick<Runners, "get">;
  readonly issueWorkspaces: { readonly keep: ReturnType<typeof captureWorkspace> };
}

/** Where the words of the step go, and what hides values in them. */
export interface CaptureLog {
  readonly write: (text: string) => Effect.Effect<void>;
  readonly masked: (text: string) => string;
}

/**
 * Keeps what a run left in its workspace, once its programs have ended and while it is live: what follows it begins from
 * there. A stop of the run does not stop that. The run's story says where it does not succeed.
 */
export const captureWork = (deps: CaptureWorkParts) =>
  Effect.fnUntraced(function* ({ id: runId, companyId, runner }: Run, { write, masked }: CaptureLog) {
    const { issueWorkspaces } = deps.runners.get(runner ?? localRunner) ?? {};
    if (issueWorkspaces === undefined) return;
    const problem = yield* deps.issueWorkspaces.keep({
      runId,
      processRunId: runId,
      issueWorkspaces,
      stop: new AbortController().signal,
      onOutput: write,
    });
    if (problem === null) return;
    const message = masked(`The run's work isn't saved yet. ${problem}`);
    yield* deps.runs.recordEvent({ companyId, runId, type: "error", level: "error", message });
  });
