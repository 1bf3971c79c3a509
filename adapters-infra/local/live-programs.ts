import type { LocalProcess } from "../../ports/process-runner.ts";
import { type ProcessTree, processKey } from "./process-tree.ts";

/** Counts the live programs of each run, so that the end of one leaves the others alone. */
export interface LivePrograms {
  /** Counts a program from before its start. */
  begin(runId: string): LiveProgram;
}

export interface LiveProgram {
  started(root: LocalProcess, bornAt: number | null): void;
  /** Stops counting the program. */
  end(): void;
  /** Detaches from the program. */
  leave(): void;
  readonly tree: Pick<ProcessTree, "ownsRun" | "asked" | "since" | "isOfOther">;
}

interface ProgramsOfRun extends Pick<ProcessTree, "asked"> {
  /** undefined before the first start. */
  since: number | null | undefined;
  going: number;
  known: number;
}

export const livePrograms = (): LivePrograms => {
  const runs = new Map<string, ProgramsOfRun>();
  /** The runs of the programs that have not ended. */
  const roots = new Map<string, string>();
  return {
    begin: (runId) => {
      const run = runs.get(runId) ?? { going: 0, known: 0, asked: new Set<string>(), since: undefined };
      runs.set(runId, run);
      run.going += 1;
      run.known += 1;
      let root: string | null = null;
      return {
        started: (program, bornAt) => {
          root = processKey(program);
          roots.set(root, runId);
          if (run.since === undefined || bornAt === null) run.since = bornAt;
          else if (run.since !== null) run.since = Math.min(run.since, bornAt);
        },
        end: () => {
          run.going -= 1;
          if (root !== null) roots.delete(root);
        },
        leave: () => {
          run.known -= 1;
          if (run.known === 0) runs.delete(runId);
        },
        tree: {
          ownsRun: () => run.going === 0,
          asked: run.asked,
          isOfOther: (program) => (roots.get(processKey(program)) ?? runId) !== runId,
          get since() {
            return run.since ?? null;
          },
        },
      };
    },
  };
};
