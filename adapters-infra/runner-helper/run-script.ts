import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { Workspaces } from "../../ports/workspaces.ts";

/** A runner under check. */
export interface CheckedRunner {
  readonly processes: ProcessRunner;
  readonly workspaces: Workspaces;
}

const timeoutSec = 60;

/** Runs a script of node for nobody; returns its outcome, its output, and the last reason for which it waited. */
export const runScript = (
  { processes, workspaces }: CheckedRunner,
  [script = "", ...args]: readonly string[],
  stop: AbortSignal,
  onOutputSoFar: (output: string) => void = () => {},
) =>
  Effect.gen(function* () {
    const runId = `check.${randomUUID()}`;
    const workspace = yield* Effect.orDie(workspaces.temporary(null));
    let output = "";
    let waited = "";
    const outcome = yield* processes.run(
      { command: "node", args: ["-e", script, ...args], timeoutSec, graceSec: 1 },
      {
        runId,
        workspace,
        env: { ...workspace.env, SERVICE_RUN_ID: runId },
        stop,
        onStarted: () => Effect.void,
        onPlacement: ({ waitsFor }) =>
          Effect.sync(() => {
            waited = waitsFor ?? waited;
          }),
        onOutput: (_, chunk) =>
          Effect.sync(() => {
            output += Buffer.from(chunk).toString();
            onOutputSoFar(output);
          }),
      },
    );
    return { outcome, output, waited };
  }).pipe(Effect.scoped);
