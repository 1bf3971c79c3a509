import type { ProgramSpec } from "../../ports/process-runner.ts";
import type { AdoptedRun } from "./supervisor-connection.ts";

type AdoptedProgram = AdoptedRun["programs"][number];

/** The programs of runs that this service has taken over, until their adapters ask for them again. */
export interface AdoptedRuns {
  add(runId: string, programs: readonly AdoptedProgram[]): void;
  /**
   * The next program of the run, in the order of their start; null: it has none more, and the adapter starts one.
   * Throws where the adapter starts another program than it did: then the run cannot be continued.
   */
  next(runId: string, spec: Pick<ProgramSpec, "command">): AdoptedProgram | null;
  /** Returns whether all of its programs were asked for, and so have ended. */
  forget(runId: string): boolean;
}

export const adoptedRuns = (): AdoptedRuns => {
  const runs = new Map<string, AdoptedProgram[]>();
  return {
    add: (runId, programs) => void runs.set(runId, [...programs]),
    next: (runId, { command }) => {
      const next = runs.get(runId)?.shift() ?? null;
      if (next !== null && next.named !== command)
        throw new Error(`The run has started ${next.named}, and its adapter now starts ${command}.`);
      return next;
    },
    forget: (runId) => {
      const rest = runs.get(runId) ?? [];
      runs.delete(runId);
      for (const { stdout, stderr } of rest) for (const stream of [stdout, stderr]) stream.destroy();
      return rest.length === 0;
    },
  };
};
