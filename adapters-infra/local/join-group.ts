import * as Effect from "effect/Effect";
import type { LocalProcess } from "../../ports/process-runner.ts";
import type { ProcessTable } from "./process-table.ts";
import type { RunGroups } from "./run-groups.ts";
import { firstOf } from "./supervision-end.ts";

/** Moves programs into the groups of their runs, after they have been started. */
export interface GroupJoins {
  begin(runId: string, program: LocalProcess, exited: Promise<unknown>): GroupJoin;
  /**
   * Whether the group of the run may hold a process that is not of the run: one that got the number of a program that
   * ended while the kernel was to move it. It is moved back at once.
   */
  mayHoldOther(runId: string): boolean;
}

export interface GroupJoin {
  /**
   * Waits until the program is in its group, where what it has started is found, for two seconds at most: another user of
   * the kernel can keep it from moving processes for longer. Waits for no program that ended before its turn.
   */
  readonly finished: Effect.Effect<void>;
}

const longestMs = 2_000;

export const groupJoins = (table: ProcessTable, groups: RunGroups): GroupJoins => {
  const underWay = new Set<{ readonly runId: string }>();
  return {
    mayHoldOther: (runId) => [...underWay].some((join) => join.runId === runId),
    begin: (runId, program, exited) => {
      const join = { runId, isMoving: false, hasEnded: false };
      underWay.add(join);
      void exited.then((exit) => {
        join.hasEnded = exit !== null;
      });
      const isOver = () => {
        join.isMoving = !join.hasEnded;
        return join.hasEnded;
      };
      const move = async () => {
        await groups.join(runId, program.pid, isOver);
        const moved = join.isMoving ? table.find(program.pid) : null;
        if (moved !== null && moved.startedAt !== program.startedAt) await groups.leave(program.pid);
        underWay.delete(join);
      };
      const done = move();
      return {
        finished: Effect.suspend(() =>
          underWay.has(join) && (join.isMoving || !join.hasEnded)
            ? firstOf([Effect.promise(() => done), Effect.sleep(longestMs)])
            : Effect.void,
        ),
      };
    },
  };
};
