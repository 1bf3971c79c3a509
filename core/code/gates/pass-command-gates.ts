import * as Effect from "effect/Effect";
import { actAs, transactAsSystem } from "../../access/unit-of-work.ts";
import { failureComment } from "../../model/issues/gates/gate-check.ts";
import { GatesUnmet, nothingRuns } from "../../model/issues/gates/judge-gates.ts";
import type { Merge } from "../../model/repositories/merge.ts";
import { addFeedback } from "../../work/issues/comments/add-feedback.ts";
import { reopenDone } from "../../work/issues/reopen-done.ts";
import type { CloneAtCommit } from "../workspaces/run-at-commit.ts";
import { checkedCommit } from "./checked-commit.ts";
import { runCommand } from "./run-command.ts";
import type { GateCheckPorts } from "./runs-at-commit.ts";

/**
 * Runs the command gates of an issue at the commit of its merge, before it is pushed: work that is fine alone may
 * break together with what came between. A failure goes back to the agent.
 */
export const passCommandGates = (parts: GateCheckPorts) => {
  const commitOf = checkedCommit(parts);
  return Effect.fnUntraced(function* (merge: Merge, merged: string) {
    const { companyId, issueId, by } = merge;
    const { gates, repositories, branches, runner } = yield* transactAsSystem(
      parts,
      "repositories.passCommandGates",
      function* (unit) {
        const issue = yield* Effect.orDie(unit.issues.find(issueId));
        const named = yield* unit.gates.ofIssue(issue);
        const { projectId } = issue;
        const all = projectId === null ? [] : yield* unit.repositories.ofProject(projectId);
        return {
          gates: named,
          repositories: all.filter(({ mode }) => mode === "issue"),
          branches: yield* unit.repositories.branchesOf(issueId),
          runner: yield* unit.gates.runnerOf(issueId),
        };
      },
    );
    const commands = gates.filter(({ kind }) => kind === "command");
    if (commands.length === 0) return;
    const clones = Effect.gen(function* () {
      const ready: CloneAtCommit[] = [];
      for (const { id: repositoryId, directory, defaultBranch } of repositories) {
        const head = branches.find((branch) => branch.repositoryId === repositoryId)?.head ?? null;
        const commit =
          repositoryId === merge.repositoryId
            ? merged
            : yield* commitOf({ issueId, companyId, repositoryId, defaultBranch, head });
        if (commit !== null) ready.push({ repositoryId, directory, commit });
      }
      return ready.length === 0 ? yield* Effect.fail({ message: nothingRuns }) : ready;
    });
    for (const gate of commands) {
      const { command, timeoutSec } = gate;
      if (command === null || timeoutSec === null) continue;
      const ran = yield* runCommand(parts, {
        id: merge.id,
        companyId,
        issueId,
        runner,
        clones,
        command,
        timeoutSec,
      });
      if (ran.problem === null) continue;
      const reason = `After merging the current default branch: ${ran.problem}`;
      yield* transactAsSystem(parts, "repositories.passCommandGates", function* (unit) {
        const issue = yield* Effect.orDie(unit.issues.lock(issueId));
        if (!(yield* unit.merges.lockRunning(merge.id))) return;
        const open = ran.isUnusable ? issue : yield* reopenDone(actAs(unit, by), issue);
        const body = failureComment(gate, { reason, log: ran.log, waitsForPerson: false });
        yield* addFeedback(unit, { issue: open, body, wakesAgent: !ran.isUnusable });
      });
      return yield* Effect.fail(GatesUnmet.of([{ ...gate, reason, isPending: false, check: null }]));
    }
  });
};
