import { describe, expect, test } from "vitest";
import type { IdleFacts } from "../../core/model/issues/idle-issue.ts";
import { runStatuses } from "../../core/model/runs/run-status.ts";
import { type RunSituation, whatComesNext } from "../../core/model/runs/what-comes-next.ts";
import { later, now } from "../support/nouns.ts";

const around = (facts: Partial<RunSituation> = {}): RunSituation => ({
  status: "failed",
  stopRequested: false,
  waitsForPerson: false,
  accountHeldUntil: null,
  waiting: 0,
  next: null,
  agent: {
    lifecycleState: "active",
    heldManuallyAt: null,
    heldByBudgetAt: null,
    companyHeldByBudgetAt: null,
    companyStatus: "active",
    runtimeConfig: {},
  },
  projectHeldByBudgetAt: null,
  isHeldAsRestored: false,
  unfinishedIssue: null,
  ...facts,
});
const next = { id: "N", status: "queued", reason: "process_lost_retry", quarantinedSince: null } as const;
const agent = around().agent;
const stalled: IdleFacts = {
  status: "in_progress",
  waitsForAnswer: false,
  isBlocked: false,
  isHeldByProjectBudget: false,
  awaitsGates: false,
};

describe("What comes next", () => {
  test.each<[string, Partial<RunSituation>, string]>([
    [
      "one whose retry is queued in a restored database",
      { next, isHeldAsRestored: true },
      "run N. It starts once an instance admin releases",
    ],
    ["a running run", { status: "running" }, "Runs until it finishes"],
    ["one that waits for a person", { status: "running", waitsForPerson: true }, "Waiting for your answer"],
    ["one that others wait for", { status: "running", waiting: 3 }, "for what is waiting (3)"],
    [
      "one that was asked to stop",
      { status: "running", stopRequested: true },
      "ends when its last process does",
    ],
    ["a lost run that is tried again", { next }, "Retried automatically: run N is queued."],
    [
      "one whose retry runs",
      { next: { ...next, status: "running" } },
      "Retried automatically: run N is running",
    ],
    ["one whose retry has ended", { next: { ...next, status: "succeeded" } }, "has ended (succeeded)"],
    [
      "one out of quota",
      { next: { ...next, reason: "provider_quota_recovery" }, accountHeldUntil: later },
      `run N is queued and starts after ${later}`,
    ],
    [
      "one that left its issue in progress",
      { next: { ...next, reason: "issue_continuation_needed" } },
      "Continued in another run: run N",
    ],
    [
      "one that something waited for",
      { next: { ...next, reason: "issue_commented" } },
      "Continued in another run",
    ],
    [
      "one whose follower is held",
      { next: { ...next, quarantinedSince: now } },
      "On hold: this run keeps repeating",
    ],
    ["one of a paused agent", { agent: { ...agent, heldManuallyAt: now } }, "Resume it to continue"],
    [
      "one of an agent out of budget",
      { agent: { ...agent, heldByBudgetAt: now } },
      "until the budget is raised",
    ],
    [
      "one of a terminated agent",
      { agent: { ...agent, lifecycleState: "terminated" } },
      "The agent is terminated",
    ],
    ["one of a paused company", { agent: { ...agent, companyStatus: "paused" } }, "you resume the company"],
    [
      "one of an archived company",
      { agent: { ...agent, companyStatus: "archived" } },
      "The company is archived",
    ],
    [
      "one left in progress in a company out of budget",
      { agent: { ...agent, companyHeldByBudgetAt: now }, unfinishedIssue: stalled },
      "Waiting until the company's budget is raised",
    ],
    [
      "one of an agent that was out of budget last month",
      { agent: { ...agent, heldByBudgetAt: "2025-12-31T23:59:59.999Z" } },
      "Nothing scheduled next",
    ],
    ["a stalled one", { unfinishedIssue: stalled }, "Comment or retry to continue"],
    [
      "a stalled one of an agent that only its timer wakes",
      {
        agent: { ...agent, runtimeConfig: { heartbeat: { wakeOnDemand: false } } },
        unfinishedIssue: stalled,
      },
      "The agent's schedule wakes it next",
    ],
    [
      "one left in progress with a question",
      { unfinishedIssue: { ...stalled, waitsForAnswer: true } },
      "Waiting for your answer",
    ],
    [
      "one left in progress with a blocker",
      { unfinishedIssue: { ...stalled, isBlocked: true } },
      "block this one",
    ],
    [
      "one left in progress whose gates are judged",
      { unfinishedIssue: { ...stalled, awaitsGates: true } },
      "Checking the issue's gates",
    ],
    [
      "one of a restored database that is over",
      { isHeldAsRestored: true },
      "Waiting until an instance admin",
    ],
    ["one that is simply over", {}, "Nothing scheduled next"],
  ])("after or to %s is reported", (_, facts, sentence) => {
    expect(whatComesNext(around(facts), now)).toContain(sentence);
  });

  test.each(runStatuses.filter((each) => each !== "queued"))(
    "is a sentence for every status: %s",
    (status) => {
      expect(whatComesNext(around({ status }), now)).toMatch(/^[A-Z].*\.$/);
    },
  );
});
