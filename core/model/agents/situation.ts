import { type IdleReason, judgeIdleIssue } from "../issues/idle-issue.ts";
import { isReadyStatus } from "../issues/issue-status.ts";
import { type Instant, monthAfter } from "../shared/instant.ts";
import { isWokenByTimerOnly } from "./agent-config.ts";
import { holdMessages } from "./hold-messages.ts";
import { type AnyHold, holdsOn } from "./holds.ts";
import { accountLimit, judgeQueuedRun } from "./judge-queued-run.ts";
import type { Act, IdleIssue, LiveRunFacts, ServiceFacts, SituationFacts } from "./situation-facts.ts";
import {
  type Reason,
  reason,
  type SituationLink,
  type SituationState,
  situationReasons,
  toIssue,
} from "./situation-reasons.ts";

const strength = new Map(Object.keys(situationReasons).map((code, at) => [code, at]));

export interface Situation {
  readonly state: SituationState;
  /** The strongest reason, and how many others there are. */
  readonly sentence: string;
  /** At least one, the strongest first. */
  readonly reasons: readonly Reason[];
  /** The next thing that starts a run of it by itself. */
  readonly next: { readonly sentence: string; readonly at: Instant | null };
}

/**
 * Explains what an agent does and why, and what wakes it next. Queued runs are judged by the gate itself, so the answer agrees
 * with a claim.
 */
export const situationOf = (facts: SituationFacts, service: ServiceFacts, at: Instant): Situation => {
  const found = reasonsOf(facts, service, at);
  const reasons = (found.length === 0 ? [reason("no_work", "Nothing assigned.")] : found).toSorted(
    (one, other) => strength.get(one.code)! - strength.get(other.code)!,
  );
  const [strongest] = reasons as [Reason];
  const { state } = situationReasons[strongest.code];
  return {
    state,
    sentence: strongest.sentence,
    reasons,
    next: nextOf(facts, strongest, at),
  };
};

const reasonsOf = (facts: SituationFacts, service: ServiceFacts, at: Instant): readonly Reason[] => {
  const { agent, approvals } = facts;
  if (agent.lifecycleState === "terminated")
    return [reason("terminated", "Terminated. It can't be started again.")];
  if (agent.lifecycleState === "pending_approval")
    return [
      reason("hire_pending", "Waiting for you to approve this hire.", {
        ...approvalOf(approvals.find(({ isOfHire }) => isOfHire)),
      }),
    ];
  const running = facts.runs.filter(({ status }) => status === "running");
  const holds = holdReasons(facts, at);
  return [
    ...running.map(runningReason),
    ...holds,
    ...(holds.length > 0
      ? []
      : [
          ...queueReasons(facts, service, at),
          ...accountReasons(facts),
          ...facts.issues.map((issue) => issueReason(issue, facts)),
        ]),
    ...(approvals.length === 0 ? [] : [approvalReason(approvals)]),
    ...(facts.backlogCount === 0 || facts.runs.length + facts.issues.length > 0
      ? []
      : [
          reason(
            "backlog",
            facts.backlogCount === 1
              ? "Its only issue is in the backlog. Move it to To do to start."
              : `Its ${facts.backlogCount} issues are in the backlog. Move one to To do to start.`,
          ),
        ]),
    ...(agent.errorReason === null || running.length > 0
      ? []
      : [reason("last_run_failed", `Last run failed: ${agent.errorReason}`)]),
  ];
};

const approvalOf = (approval: SituationFacts["approvals"][number] | undefined): Partial<Reason> =>
  approval === undefined
    ? {}
    : { since: approval.since, links: [{ kind: "approval", id: approval.id, label: "the approval" }] };

const approvalReason = (approvals: SituationFacts["approvals"]): Reason =>
  reason(
    "approval_pending",
    approvals.length === 1
      ? "Waiting for your decision."
      : `Waiting for ${approvals.length} of your decisions.`,
    { since: approvals[0]!.since, links: approvals.flatMap((approval) => approvalOf(approval).links ?? []) },
  );

const runningReason = ({ id, of, startedAt, stopRequestedAt, waitsForPermission }: LiveRunFacts): Reason => {
  const links: readonly SituationLink[] = [
    ...(of === null ? [] : [toIssue(of)]),
    { kind: "run", id, label: "the run" },
  ];
  const on = of === null ? "" : ` on ${of.identifier}`;
  if (stopRequestedAt !== null)
    return reason("stopping", `Stopping its run${on}.`, { since: stopRequestedAt, links });
  return waitsForPermission
    ? reason("permission", `Needs your permission${on}.`, { since: startedAt, links })
    : reason("working", of === null ? "Running without an issue." : `Working on ${of.identifier}.`, {
        since: startedAt,
        links,
      });
};

const by = (act: Act | null): string => (act?.name == null ? "" : ` by ${act.name}`);

/** The person behind a hold, since when it applies, and when it ends by itself. */
const holdFacts: Readonly<
  Record<AnyHold, (facts: SituationFacts, at: Instant) => Partial<Reason> & { readonly by?: Act | null }>
> = {
  manual: ({ agent, pausedBy }) => ({ by: pausedBy, since: agent.heldManuallyAt }),
  budget: ({ agent }, at) => ({ since: agent.heldByBudgetAt, until: monthAfter(at) }),
  company: ({ companyPausedBy }) => ({ by: companyPausedBy, since: companyPausedBy?.at ?? null }),
  company_budget: ({ agent }, at) => ({ since: agent.companyHeldByBudgetAt, until: monthAfter(at) }),
  project_budget: (_, at) => ({ until: monthAfter(at) }),
  restored: () => ({}),
};

const becauseOf = (hold: AnyHold, { company }: SituationFacts, act: Act | null): string =>
  hold === "company" && company === "archived"
    ? "the company is archived"
    : `${holdMessages[hold].because}${by(act)}`;

const holdReasons = (facts: SituationFacts, at: Instant): readonly Reason[] => {
  const { agent, company } = facts;
  const holds: readonly Exclude<AnyHold, "project_budget">[] = [
    ...(facts.isHeldAsRestored ? (["restored"] as const) : []),
    ...holdsOn(agent, company, at),
  ];
  return holds.map((hold) => {
    const { by: act = null, ...more } = holdFacts[hold](facts, at);
    const because = capital(becauseOf(hold, facts, act));
    return reason(
      hold,
      hold === "manual"
        ? `${because}. Resume to start new runs.`
        : `${because}. No runs until ${holdMessages[hold].until}.`,
      more,
    );
  });
};

/** Its next run would wait for the account, too. */
const accountReasons = ({ accountHeldUntil, issues, runs }: SituationFacts): readonly Reason[] =>
  accountHeldUntil === null || issues.length === 0 || runs.length > 0
    ? []
    : [accountLimit(accountHeldUntil, {})];

/** The gate's verdict on each queued run; equal sentences once. */
const queueReasons = (facts: SituationFacts, service: ServiceFacts, at: Instant): readonly Reason[] => {
  const found = facts.runs
    .filter(({ status }) => status === "queued")
    .map((run) =>
      judgeQueuedRun(
        run,
        facts,
        service,
        at,
        run.of === null ? "Its run" : `Its run on ${run.of.identifier}`,
      ),
    );
  const bySentence = new Map<string, Reason>();
  for (const each of found) {
    const same = bySentence.get(each.sentence);
    bySentence.set(
      each.sentence,
      same === undefined ? each : { ...same, links: [...same.links, ...each.links] },
    );
  }
  return [...bySentence.values()];
};

const issueReason = (issue: IdleIssue, { agent }: SituationFacts): Reason => {
  const { blockers, since } = issue;
  const code = judgeIdleIssue({ ...issue, isBlocked: blockers.length > 0 });
  return reason(code, idleMessages[code](issue, isWokenByTimerOnly(agent.runtimeConfig)), {
    since,
    links: [toIssue(issue), ...blockers.map(toIssue)],
  });
};

const idleMessages: Readonly<Record<IdleReason, (issue: IdleIssue, byTimerOnly: boolean) => string>> = {
  waits_for_answer: ({ identifier }) => `Waiting for your answer on ${identifier}.`,
  in_review: ({ identifier }) => `${identifier} is ready for review.`,
  blocked_by: ({ identifier, blockers }) =>
    `${identifier} is blocked by ${blockers.map((blocker) => blocker.identifier).join(", ")}.`,
  marked_blocked: ({ identifier }) => `${identifier} is marked as blocked, but not by an issue.`,
  project_budget: ({ identifier }) => `The budget of ${identifier}'s project is used up.`,
  gates_judged: ({ identifier }) => `${identifier}'s gates are being checked.`,
  stalled: ({ identifier }, byTimerOnly) =>
    byTimerOnly
      ? `${identifier} has stalled. The agent's schedule wakes it next.`
      : `${identifier} has stalled. Comment on it or wake the agent to continue.`,
  not_woken: ({ identifier }, byTimerOnly) =>
    byTimerOnly
      ? `${identifier} is ready. The agent's schedule starts it.`
      : `${identifier} is ready but hasn't started. Comment on it or wake the agent.`,
};

/** When its next run starts if nobody acts on the reasons. */
const nextOf = (
  { agent, runs, issues }: SituationFacts,
  strongest: Reason,
  at: Instant,
): Situation["next"] => {
  const { state } = situationReasons[strongest.code];
  if (state === "terminated" || state === "draft") return { sentence: "Nothing scheduled.", at: null };
  if (state === "held")
    return strongest.until === null
      ? { sentence: "Nothing scheduled.", at: null }
      : {
          sentence: `When the budget resets, at ${strongest.until}, or when it is raised.`,
          at: strongest.until,
        };
  if (state === "starting") return { sentence: "A run is starting now.", at };
  if (strongest.until !== null)
    return { sentence: `When the limit ends, at ${strongest.until}.`, at: strongest.until };
  const waiting = runs.filter(
    ({ status, quarantinedSince }) => status === "queued" && quarantinedSince === null,
  ).length;
  if (waiting > 0)
    return {
      sentence: `The queued run${waiting === 1 ? "" : `, and ${waiting - 1} after it`}.`,
      at: null,
    };
  const heartbeat = agent.runtimeConfig.heartbeat;
  const events = isWokenByTimerOnly(agent.runtimeConfig) ? null : "when it gets an issue, comment or answer";
  if (agent.nextTimerAt === null)
    return {
      sentence: events === null ? "No schedule." : `${capital(events)}. No schedule.`,
      at: null,
    };
  const onlyWithWork = heartbeat?.onlyWithWork === true && !issues.some(isReady);
  return {
    sentence: `On schedule, at ${agent.nextTimerAt}${onlyWithWork ? ", if it has work then" : ""}${events === null ? "" : `, or ${events}`}.`,
    at: agent.nextTimerAt,
  };
};

const isReady = ({ status, blockers, isHeldByProjectBudget, awaitsGates }: IdleIssue): boolean =>
  isReadyStatus(status) && blockers.length === 0 && !isHeldByProjectBudget && !awaitsGates;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
