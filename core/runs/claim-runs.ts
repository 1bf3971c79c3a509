import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type {
  Candidate,
  ClaimScope,
  Supervisor,
  TaskOfAgent,
  TaskSession,
} from "../../ports/stores/run-store.ts";
import { actAs, transactAsSystem, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import { assignWorkspace, type CodeOfRun } from "../code/workspaces/assign-workspace.ts";
import { type Actor, bySystem } from "../model/access/caller.ts";
import { entryAbout } from "../model/activity/activity-entry.ts";
import { runnerOf } from "../model/agents/agent-config.ts";
import { type FilesLocation, localRunner, locateFiles, mayResume } from "../model/agents/volume.ts";
import { checkOut } from "../model/issues/issue.ts";
import { gate, type Running } from "../model/runs/gate.ts";
import type { LoopKind } from "../model/runs/loop-breaker.ts";
import { causeOf, type Run, refusedBecause } from "../model/runs/run.ts";
import { taskKeyOf } from "../model/runs/task-key.ts";
import { endRuns } from "../queue/end-runs.ts";
import { detachWakes } from "../queue/revoke-issue.ts";
import { continueClaims } from "./follow-run.ts";
import { setVolumes } from "./set-volumes.ts";

export interface ClaimRuns extends Omit<ClaimScope, "runners" | "at"> {
  /** The runners that it can use. */
  readonly runners: ReadonlyMap<string, Pick<Supervisor, "scope" | "volume">>;
}

/** A run that this service must now carry out, with the session that its adapter resumes. */
export interface ClaimedRun extends Candidate {
  /** The name of the runner of its programs. */
  readonly runner: string;
  readonly session: TaskSession | null;
  /** null: its issue has no workspace of its own. */
  readonly code: CodeOfRun | null;
}

export interface Claim {
  readonly claimed: readonly ClaimedRun[];
  /** Whether another claim may find runs that nothing announces. */
  readonly mayBeMore: boolean;
}

/**
 * Claims queued runs, as many as the gate allows. Refused runs end here, with their wakes; a wake that would not be
 * refused alone founds a run of its own.
 */
export const claimRuns =
  (context: UseCaseContext) =>
  (command: ClaimRuns): Effect.Effect<Claim> =>
    transactAsSystem(context, "runs.claim", function* (unit) {
      const { candidates, mayBeMore } = yield* unit.runs.lockCandidates({
        ...command,
        runners: [...command.runners.keys()],
        at: context.clock.now(),
      });
      // Waiting for locks takes time: no run may start before it was created.
      const { at } = unit;
      const claimed: Claimed[] = [];
      let cleared = 0;
      for (const candidate of candidates) {
        const { run, agent, issue } = candidate;
        const runner = runnerOf(agent, command.defaultRunner);
        const supervisor = command.runners.get(runner);
        // Its agent was given a runner that this service has not, after the run was found.
        if (supervisor === undefined) continue;
        if (run.adapterType !== agent.adapterType) {
          // The run was created while its agent's adapter changed, and would start with the other adapter's
          // configuration.
          yield* unit.runs.handToAdapter(agent.id, agent.adapterType, at);
          cleared += 1;
          continue;
        }
        const running = withClaimed(candidate, claimed);
        const keepsFiles = !command.typesWithoutFiles.includes(agent.adapterType);
        const filesLocation =
          keepsFiles && runner === localRunner
            ? locateFiles(agent, command.volume, candidate.otherVolume)
            : "here";
        const isElsewhere = filesLocation === "elsewhere";
        const facts = {
          ...candidate,
          company: agent.companyStatus,
          agentCausedRunLimit: agent.companyAgentCausedRunLimit,
          agent,
          issue,
          running,
          isElsewhere,
          notBefore: run.notBefore,
          at,
        };
        const verdictOn = (cause: Pick<Run, "wakeReason" | "context">) => gate(cause, facts, command.caps);
        const verdict = verdictOn(run);
        if (verdict.go)
          claimed.push({
            ...candidate,
            by: { serviceId: command.serviceId, runner, ...supervisor },
            keepsFiles,
            filesLocation,
          });
        else if ("refuse" in verdict) {
          cleared += 1;
          const hasOthers = yield* detachWakes(unit, run, (wake) => !("refuse" in verdictOn(wake)));
          yield* endRuns(unit, [run], refusedBecause(verdict.refuse));
          if (hasOthers) yield* unit.wakes.promote(run.agentId, run.issueId, unit.newId<"run">(), at);
          if (verdict.refuse === "issue_reassigned" || verdict.refuse === "issue_closed")
            yield* continueClaims(unit, { run, agent });
        } else if ("hold" in verdict) {
          cleared += 1;
          yield* hold(unit, candidate, verdict.hold);
        }
      }
      // A run that is held or has ended may have stood before others; one that waits is found by a later search.
      if (claimed.length === 0) return { claimed: [], mayBeMore: mayBeMore || cleared > 0 };
      yield* setVolumes(unit, claimed, command.volume);
      return {
        claimed: yield* startAll(unit, claimed),
        // A run that did not start may have stood before others.
        mayBeMore: mayBeMore || claimed.length < candidates.length,
      };
    });

/** A candidate that may go, with the service that starts it. */
interface Claimed extends Candidate {
  readonly by: Supervisor;
  readonly keepsFiles: boolean;
  /** "here" also for an agent that belongs to no host, and on the engines, which place volumes themselves. */
  readonly filesLocation: FilesLocation;
}

/** Counts from before this transaction, plus the runs it has started since. */
const withClaimed = ({ run, running }: Candidate, claimed: readonly Claimed[]): Running => {
  const count = (same: (other: Claimed) => boolean) => claimed.filter(same).length;
  return {
    instance: running.instance + claimed.length,
    company: running.company + count((other) => other.run.companyId === run.companyId),
    adapterType: running.adapterType + count((other) => other.run.adapterType === run.adapterType),
    agent: running.agent + count((other) => other.run.agentId === run.agentId),
  };
};

/** Starts the claimed runs. */
const startAll = Effect.fnUntraced(function* (unit: UnitOfWork, claimed: readonly Claimed[]) {
  const { at } = unit;
  const sessions = yield* unit.runs.sessions(claimed.map(taskOf));
  const sessionOf = (one: Claimed) => {
    const task = taskOf(one);
    const found =
      sessions.find(
        ({ agentId, adapterType, taskKey }) =>
          agentId === task.agentId && adapterType === task.adapterType && taskKey === task.taskKey,
      ) ?? null;
    return found !== null && (!one.keepsFiles || mayResume(found, one.by.volume)) ? found : null;
  };
  const started = claimed.map((one) => {
    const { runner } = one.by;
    return { ...one, run: { ...one.run, runner }, runner, session: sessionOf(one) };
  });
  yield* unit.runs.start(
    started.map(({ run, by, session }) => ({
      runId: run.id,
      by,
      sessionIdBefore: session?.displayId ?? null,
    })),
    at,
  );
  yield* unit.wakes.endStarted(
    started.map(({ run }) => run.id),
    at,
  );
  yield* unit.runs.appendEvents(
    started.map(({ run, agent }) => ({
      companyId: run.companyId,
      runId: run.id,
      type: "lifecycle" as const,
      level: "info" as const,
      message: "run started",
      payload: { status: "running", agentId: agent.id, issueId: run.issueId, reason: run.wakeReason },
      at,
    })),
  );
  yield* unit.activity.appendAll(
    started.map(({ run, agent }) =>
      entryAbout(run, bySystem, at, "heartbeat.started" as const, {
        agentId: agent.id,
        reason: run.wakeReason,
      }),
    ),
  );
  return yield* Effect.forEach(
    started,
    Effect.fnUntraced(function* (one) {
      const issue = yield* checkOutFor(unit, one);
      return { ...one, issue, code: yield* codeOf(unit, { ...one, issue }) } satisfies ClaimedRun;
    }),
  );
});

/** An agent without files works on none of an issue's. */
const codeOf = (unit: UnitOfWork, { run, agent, issue, by, keepsFiles }: Claimed) =>
  keepsFiles
    ? assignWorkspace(unit, {
        runId: run.id,
        agent,
        issue,
        volume: by.volume,
      })
    : Effect.succeed(null);

const taskOf = ({ run, agent }: Candidate): TaskOfAgent => ({
  agentId: agent.id,
  adapterType: run.adapterType,
  taskKey: taskKeyOf(run),
});

/** The service checks the issue out for the run, so that the agent's own checkout succeeds. Returns the issue. */
const checkOutFor = Effect.fnUntraced(function* (unit: UnitOfWork, candidate: Candidate) {
  const { run, agent, issue } = candidate;
  const claimable =
    issue !== null && issue.assigneeAgentId === agent.id && causeOf(run) !== "issue_comment_mentioned";
  if (!claimable) return issue;
  const holder = issue.checkoutRunId;
  const checkedOut = checkOut(issue, {
    agentId: agent.id,
    runId: run.id,
    expectedStatuses: ["todo", "in_progress", "blocked"],
    holderIsActive: holder === null ? false : yield* unit.runs.isActive(holder),
    openBlockers: candidate.openBlockers,
    at: unit.at,
  });
  if (Result.isFailure(checkedOut)) return issue;
  yield* unit.issues.save(checkedOut.success);
  const by: Actor = { kind: "agent", agentId: agent.id, runId: run.id };
  yield* actAs(unit, by).log("issue.checked_out", issue, {
    identifier: issue.identifier,
    agentId: agent.id,
  });
  return checkedOut.success;
});

/** The loop breaker: the run waits for a person, with every wake that joins it meanwhile. */
const hold = Effect.fnUntraced(function* (
  unit: UnitOfWork,
  { run, agent, issue, recent }: Candidate,
  kind: LoopKind,
) {
  yield* unit.runs.quarantine(run.id, kind, unit.at);
  const details = {
    agentId: agent.id,
    reason: run.wakeReason,
    recentRuns: kind === "agents" ? recent.byAgents : Math.max(recent.ofCause, recent.ofIssue),
  };
  yield* issue === null || kind === "agents"
    ? unit.log("agent.wakes_held", agent, details)
    : unit.log("issue.wakes_held", issue, {
        ...details,
        identifier: issue.identifier,
      });
});
