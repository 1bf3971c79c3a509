import { describe, expect, test } from "vitest";
import type { Agent } from "../../core/model/agents/agent.ts";
import { defaultMaxConcurrentRuns } from "../../core/model/agents/agent-config.ts";
import type { CompanyStatus } from "../../core/model/companies/company.ts";
import { isClosed, issueStatuses } from "../../core/model/issues/issue-status.ts";
import { type GateFacts, gate } from "../../core/model/runs/gate.ts";
import {
  agentErrorAfter,
  causeOf,
  isDoneAgain,
  judge,
  type Run,
  type RunVerdict,
  type StopReason,
  stopReasons,
  whatFollowsClaim,
  whatIsNext,
} from "../../core/model/runs/run.ts";
import { isLive, type RunEnd, runMoves, runStatuses } from "../../core/model/runs/run-status.ts";
import { taskKeyOf } from "../../core/model/runs/task-key.ts";
import { skipReason } from "../../core/model/runs/wake.ts";
import { type WakeReason, wakeReasons } from "../../core/model/runs/wake-reason.ts";
import { mayMove } from "../../core/model/shared/moves.ts";
import {
  ada,
  anAgent,
  anIssue,
  anOutcome,
  aRun,
  bob,
  caps,
  earlier,
  later,
  now,
  openGate,
  theIssue,
} from "../support/nouns.ts";

const reasons = Object.keys(wakeReasons) as WakeReason[];

/** All holds of an agent, with their codes. */
const holds: readonly [string, Partial<Agent>, CompanyStatus, string][] = [
  ["a terminated agent", { lifecycleState: "terminated" }, "active", "agent_terminated"],
  [
    "an agent that waits for approval",
    { lifecycleState: "pending_approval" },
    "active",
    "agent_pending_approval",
  ],
  ["a paused agent", { heldManuallyAt: earlier }, "active", "agent_paused"],
  ["an agent out of budget", { heldByBudgetAt: earlier }, "active", "budget_exhausted"],
  ["an agent of a paused company", {}, "paused", "company_not_active"],
  ["an agent of an archived company", {}, "archived", "company_not_active"],
];

describe("A run's status", () => {
  const ends = runStatuses.filter((status) => !isLive(status));

  test.each(runStatuses.flatMap((from) => runStatuses.map((to) => [from, to] as const)))(
    "goes from %s to %s as the table says",
    (from, to) => {
      const may =
        from === "queued"
          ? to === "running" || to === "cancelled"
          : from === "running"
            ? ends.includes(to as (typeof ends)[number])
            : false;
      expect(mayMove(runMoves, from, to)).toBe(may);
    },
  );

  test("is live exactly while it can change", () => {
    for (const status of runStatuses) expect(isLive(status)).toBe(Object.keys(runMoves[status]).length > 0);
  });
});

describe("The gate", () => {
  const asked = (wakeReason: WakeReason, facts: Partial<GateFacts> = {}, context = {}) =>
    gate(aRun({ wakeReason, context }), openGate(facts), caps);

  /** Reasons that are about the agent's own, open issue; the others are about the agent itself. */
  const aboutOwnIssue: Record<WakeReason, boolean> = {
    issue_merge_conflicted: true,
    issue_feedback: true,
    heartbeat_timer: true,
    issue_assigned: true,
    issue_checked_out: true,
    issue_status_changed: true,
    issue_card_expired: false,
    issue_commented: false,
    issue_reopened_via_comment: false,
    issue_comment_mentioned: false,
    run_message: false,
    issue_blockers_resolved: true,
    issue_children_completed: true,
    issue_card_accepted: true,
    issue_card_answered: true,
    issue_continuation_needed: true,
    approval_approved: false,
    approval_rejected: false,
    approval_revision_requested: false,
    agent_resumed: true,
    process_lost_retry: true,
    provider_quota_recovery: true,
    run_retried: true,
    manual: false,
  };

  test.each(reasons)("lets a run woken by %s start if nothing prevents it", (reason) => {
    expect(asked(reason)).toEqual({ go: true });
    expect(asked(reason, { issue: null })).toEqual({ go: true });
  });

  test.each(holds.flatMap((hold) => reasons.map((reason) => [...hold, reason] as const)))(
    "refuses %s (%j, company %s) as %s, whatever woke it: %s",
    (_, fields, company, refuse, reason) => {
      expect(asked(reason, { agent: anAgent(fields), company })).toEqual({ go: false, refuse });
    },
  );

  test.each(reasons)("checks for a run woken by %s whether the issue is still the agent's", (reason) => {
    for (const assigneeAgentId of [bob, null])
      expect(asked(reason, { issue: anIssue({ assigneeAgentId }) })).toEqual(
        aboutOwnIssue[reason] ? { go: false, refuse: "issue_reassigned" } : { go: true },
      );
  });

  test.each(reasons.flatMap((reason) => issueStatuses.map((status) => [reason, status] as const)))(
    "asks of a run woken by %s whether the issue is open: %s",
    (reason, status) => {
      expect(asked(reason, { issue: anIssue({ assigneeAgentId: ada, status }) })).toEqual(
        aboutOwnIssue[reason] && isClosed(status) ? { go: false, refuse: "issue_closed" } : { go: true },
      );
    },
  );

  test.each(reasons)("checks for a retry the same as for the lost run: %s", (reason) => {
    for (const issue of [
      anIssue({ assigneeAgentId: bob }),
      anIssue({ assigneeAgentId: ada, status: "done" }),
    ])
      expect(asked("process_lost_retry", { issue }, { retryOfReason: reason })).toEqual(
        asked(reason, { issue }),
      );
  });

  const busy = (running: Partial<GateFacts["running"]>) => ({
    running: { ...openGate().running, ...running },
  });

  test.each([
    ["instance", caps.instance, "instance_cap"],
    ["company", caps.company, "company_cap"],
    ["adapterType", caps.adapterType, "adapter_cap"],
    ["agent", defaultMaxConcurrentRuns, "agent_cap"],
  ] as const)("makes a run wait, and not end, if the cap of the %s is reached", (scope, cap, wait) => {
    for (const reason of reasons) {
      expect(asked(reason, busy({ [scope]: cap - 1 }))).toEqual({ go: true });
      expect(asked(reason, busy({ [scope]: cap }))).toEqual({ go: false, wait });
      expect(asked(reason, busy({ [scope]: cap + 1 }))).toEqual({ go: false, wait });
    }
  });

  test("uses the agent's own cap if it has one", () => {
    const agent = anAgent({ runtimeConfig: { heartbeat: { maxConcurrentRuns: 1 } } });
    expect(asked("manual", { agent, ...busy({ agent: 0 }) })).toEqual({ go: true });
    expect(asked("manual", { agent, ...busy({ agent: 1 }) })).toEqual({ go: false, wait: "agent_cap" });
  });

  test.each(reasons)(
    "makes a run of the new assignee woken by %s wait while the former one's run is stopped",
    (reason) => {
      expect(asked(reason, { isBeingStopped: true })).toEqual({ go: false, wait: "former_assignee" });
    },
  );

  test.each(reasons)("makes a run woken by %s wait until its cause can no longer be undone", (reason) => {
    expect(asked(reason, { notBefore: later })).toEqual({ go: false, wait: "undo" });
    expect(asked(reason, { notBefore: now })).toEqual({ go: true });
  });

  test.each(reasons)("makes a run woken by %s wait while its provider is out of quota", (reason) => {
    expect(asked(reason, { accountHeldUntil: later })).toEqual({ go: false, wait: "provider_quota" });
  });

  test.each(reasons.filter((reason) => reason !== "heartbeat_timer"))(
    "holds a run woken by %s if runs repeat too often, or agents cause too many",
    (reason) => {
      for (const [recent, agentCausedRunLimit, hold] of [
        [{ ofCause: 4, ofIssue: 14, byAgents: 29 }, 30, null],
        [{ ofCause: 5, ofIssue: 5, byAgents: 0 }, 30, "loop"],
        [{ ofCause: 0, ofIssue: 15, byAgents: 0 }, 30, "loop"],
        [{ ofCause: 0, ofIssue: 0, byAgents: 30 }, 30, "agents"],
        [{ ofCause: 0, ofIssue: 0, byAgents: 30 }, 31, null],
        [{ ofCause: 0, ofIssue: 0, byAgents: 999 }, 0, null],
      ] as const)
        expect(asked(reason, { recent, agentCausedRunLimit })).toEqual(
          hold === null ? { go: true } : { go: false, hold },
        );
    },
  );

  test("holds no tick of a timer, however much else runs", () => {
    const recent = { ofCause: 99, ofIssue: 99, byAgents: 99 };
    expect(asked("heartbeat_timer", { recent })).toEqual({ go: true });
  });

  test("refuses before it makes a run wait", () => {
    const full = {
      ...busy({ instance: 99, company: 99, adapterType: 99, agent: 99 }),
      accountHeldUntil: later,
      recent: { ofCause: 99, ofIssue: 99, byAgents: 99 },
    };
    expect(asked("issue_assigned", { agent: anAgent({ heldManuallyAt: earlier }), ...full })).toEqual({
      go: false,
      refuse: "agent_paused",
    });
    expect(asked("issue_assigned", { issue: anIssue({ assigneeAgentId: bob }), ...full })).toEqual({
      go: false,
      refuse: "issue_reassigned",
    });
  });
});

describe("A wake", () => {
  const asked = (reason: WakeReason, agent: Partial<Agent> = {}, company: CompanyStatus = "active") =>
    skipReason({ agent: anAgent(agent), company, at: now }, reason);

  test.each(reasons)("by %s is stored if the agent can start", (reason) => {
    expect(asked(reason)).toBeNull();
    expect(asked(reason, { runtimeConfig: { heartbeat: { wakeOnDemand: true } } })).toBeNull();
  });

  test.each(holds.flatMap((hold) => reasons.map((reason) => [...hold, reason] as const)))(
    "of %s (%j, company %s) is skipped as %s, whatever its reason: %s",
    (_, fields, company, skipped, reason) => {
      expect(asked(reason, fields, company)).toBe(skipped);
    },
  );

  test.each(reasons)(
    "by %s is skipped if only the timer may wake the agent, unless it is the timer",
    (reason) => {
      const timerOnly = { runtimeConfig: { heartbeat: { wakeOnDemand: false } } };
      expect(asked(reason, timerOnly)).toBe(reason === "heartbeat_timer" ? null : "wake_on_demand_disabled");
    },
  );
});

describe("The outcome of a run", () => {
  const judged = (outcome = {}, stopReason: StopReason | null = null) =>
    judge(aRun({ stopReason }), anOutcome(outcome));

  test.each<[string, object, object]>([
    ["to have gone well by exit code 0", {}, { status: "succeeded", errorCode: null, error: null }],
    [
      "to have failed by any other exit code",
      { exitCode: 3 },
      { status: "failed", errorCode: "adapter_failed", error: "The program ended with exit code 3." },
    ],
    [
      "to have failed by a signal",
      { exitCode: null, signal: "SIGSEGV" },
      { status: "failed", errorCode: "adapter_failed", error: "The program was ended by SIGSEGV." },
    ],
    [
      "to have failed where nothing is known of its end",
      { exitCode: null },
      { status: "failed", errorCode: "adapter_failed", error: "The program ended with exit code unknown." },
    ],
    [
      "to have failed by an error it reports, even with exit code 0",
      { errorMessage: "Out of credit." },
      { status: "failed", errorCode: "adapter_failed", error: "Out of credit." },
    ],
    [
      "by the code of its error, where it names one",
      { exitCode: 1, errorMessage: "Sign in.", errorCode: "sign_in_required" },
      { status: "failed", errorCode: "sign_in_required", error: "Sign in." },
    ],
    [
      "by the code of its error also without words",
      { exitCode: 1, errorCode: "command_not_found" },
      { status: "failed", errorCode: "command_not_found" },
    ],
    [
      "to have taken too long, whatever it exits with",
      { timedOut: true },
      { status: "timed_out", errorCode: "timeout", error: "The program exceeded its timeout." },
    ],
    [
      "to have taken too long, in the adapter's words",
      { timedOut: true, errorMessage: "Took 300 s.", errorCode: "adapter_failed" },
      { status: "timed_out", errorCode: "timeout", error: "Took 300 s." },
    ],
  ])("%s", (_, outcome, verdict) => {
    expect(judged(outcome)).toMatchObject(verdict);
  });

  const outcomes = [
    {},
    { exitCode: 1 },
    { timedOut: true },
    { errorMessage: "x" },
    { exitCode: null, signal: "SIGKILL" },
  ];

  test.each(Object.keys(stopReasons) as StopReason[])(
    "follows the requested stop, whatever its program did: %s",
    (reason) => {
      for (const outcome of outcomes)
        expect(judged(outcome, reason)).toMatchObject({
          status: reason === "service_shutdown" ? "interrupted" : "cancelled",
          errorCode: reason,
          error: expect.stringContaining(stopReasons[reason]),
        });
    },
  );

  test("is lost, and lost again, if the end of its program is unknown, unless a stop was requested", () => {
    expect(judge(aRun(), "lost")).toMatchObject({
      status: "interrupted",
      errorCode: "process_lost",
      error: expect.stringContaining("Retrying once"),
    });
    expect(judge(aRun({ context: { lostBefore: true } }), "lost")).toMatchObject({
      status: "interrupted",
      errorCode: "process_lost",
      error: expect.stringContaining("No retries left"),
    });
    expect(judge(aRun({ stopReason: "agent_paused" }), "lost").status).toBe("cancelled");
  });

  test("has a code and a sentence exactly if it failed, and a status that a running run may take", () => {
    for (const reason of [null, ...(Object.keys(stopReasons) as StopReason[])])
      for (const outcome of outcomes) {
        const { status, errorCode, error } = judged(outcome, reason);
        expect(errorCode === null).toBe(status === "succeeded");
        expect(error === null).toBe(status === "succeeded");
        expect(mayMove(runMoves, "running", status)).toBe(true);
      }
  });

  test.each([
    ["succeeded", null],
    ["failed", "It failed."],
    ["timed_out", "It failed."],
    ["cancelled", null],
    ["interrupted", null],
  ] as const)("leaves the agent in error only for its own failure: %s", (status, left) => {
    const error = status === "succeeded" ? null : "It failed.";
    expect(agentErrorAfter({ status, errorCode: error && "x", error })).toBe(left);
  });
});

describe("After a run", () => {
  const ended = (status: RunEnd, errorCode: string | null = null) => ({ status, errorCode, error: null });
  const next = (verdict: RunVerdict, left: boolean, fields: Partial<Run> = {}) =>
    whatIsNext(aRun(fields), verdict, left);

  test.each(["succeeded", "failed", "timed_out"] as const)(
    "that %s and left its issue in progress follows one continuation; then the issue is stalled",
    (status) => {
      expect(next(ended(status), true)).toBe("continuation");
      expect(next(ended(status), true, { wakeReason: "issue_continuation_needed" })).toBe("stalled");
      expect(next(ended(status), false)).toBe("nothing");
    },
  );

  test("that was cancelled follows nothing, whatever the state of its issue", () => {
    for (const left of [true, false]) expect(next(ended("cancelled", "agent_paused"), left)).toBe("nothing");
  });

  test("that reached its cost cap and left its issue in progress follows no run; the issue is stalled", () => {
    expect(next(ended("cancelled", "run_cost_cap"), true)).toBe("stalled");
    expect(next(ended("cancelled", "run_cost_cap"), false)).toBe("nothing");
    expect(whatFollowsClaim(ended("cancelled", "run_cost_cap"), null)).toBe("stalled");
  });

  test("that was lost follows one retry, and after a second loss a note about its issue", () => {
    const lost = ended("interrupted", "process_lost");
    for (const left of [true, false]) expect(next(lost, left)).toBe("retry");
    expect(next(lost, true, { context: { lostBefore: true } })).toBe("stalled");
    expect(next(lost, false, { context: { lostBefore: true } })).toBe("nothing");
  });

  test("that is done again follows one run, which takes up all that it held", () => {
    for (const status of ["succeeded", "failed", "timed_out", "cancelled"] as const)
      expect(isDoneAgain(next(ended(status), true))).toBe(false);
    for (const left of [true, false]) {
      expect(isDoneAgain(next(ended("interrupted", "process_lost"), left))).toBe(true);
      expect(isDoneAgain(next(ended("interrupted", "service_shutdown"), left))).toBe(true);
      expect(isDoneAgain(whatIsNext(aRun(), ended("failed"), left, true))).toBe(true);
      expect(
        isDoneAgain(next(ended("interrupted", "process_lost"), left, { context: { lostBefore: true } })),
      ).toBe(false);
    }
  });

  test("that the service stopped follows another run, as often as the service stops", () => {
    for (const left of [true, false])
      for (const lostBefore of [true, false])
        expect(next(ended("interrupted", "service_shutdown"), left, { context: { lostBefore } })).toBe(
          "retry",
        );
  });

  test("that was the retry of a continuation follows no other continuation", () => {
    const retried = {
      wakeReason: "process_lost_retry",
      context: { retryOfReason: "issue_continuation_needed" },
    } as const;
    expect(next(ended("succeeded"), true, retried)).toBe("stalled");
  });
});

describe("A run", () => {
  test.each(reasons)("is for the cause of its wake, and a retry for that of the lost run: %s", (reason) => {
    expect(causeOf(aRun({ wakeReason: reason }))).toBe(reason);
    const again = ["process_lost_retry", "provider_quota_recovery", "run_retried"] as const;
    for (const wakeReason of again)
      expect(causeOf(aRun({ wakeReason, context: { retryOfReason: reason } }))).toBe(reason);
    if (!again.some((wakeReason) => wakeReason === reason))
      expect(causeOf(aRun({ wakeReason: reason, context: { retryOfReason: "manual" } }))).toBe(reason);
  });

  test("keeps its session with its issue; runs without one share a session", () => {
    expect(taskKeyOf(aRun())).toBe(theIssue);
    expect(taskKeyOf(aRun({ issueId: null }))).toBe(taskKeyOf(aRun({ issueId: null, agentId: bob })));
  });
});
