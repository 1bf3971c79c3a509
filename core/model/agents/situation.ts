import { type IdleReason, judgeIdleIssue } from "../issues/idle-issue.ts";
import { isReadyStatus } from "../issues/issue-status.ts";
import { type Instant, monthAfter } from "../shared/instant.ts";
import { isWokenByTimerOnly } from "./agent-config.ts";
import { holdWords } from "./hold-words.ts";
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
  const reasons = (found.length === 0 ? [reason("no_work", "It has no open issue.")] : found).toSorted(
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
    return [reason("terminated", "It is terminated; nothing starts it again.")];
  if (agent.lifecycleState === "pending_approval")
    return [
      reason("hire_pending", "Its hire is not decided; nothing starts it before.", {
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
            `${facts.backlogCount === 1 ? "Its issue is" : `Its ${facts.backlogCount} issues are`} in the backlog: nobody works on an issue there.`,
          ),
        ]),
    ...(agent.errorReason === null || running.length > 0
      ? []
      : [reason("last_run_failed", `Its last run failed: ${agent.errorReason}`)]),
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
      ? "The board has not decided what it asked for."
      : `The board has not decided ${approvals.length} things that it asked for.`,
    { since: approvals[0]!.since, links: approvals.flatMap((approval) => approvalOf(approval).links ?? []) },
  );

const runningReason = ({ id, of, startedAt, stopRequestedAt, waitsForPermission }: LiveRunFacts): Reason => {
  const links: readonly SituationLink[] = [
    ...(of === null ? [] : [toIssue(of)]),
    { kind: "run", id, label: "the run" },
  ];
  const on = of === null ? "" : ` on ${of.identifier}`;
  if (stopRequestedAt !== null)
    return reason("stopping", `Its run${on} is being stopped.`, { since: stopRequestedAt, links });
  return waitsForPermission
    ? reason("permission", `Its run${on} waits for a person's permission.`, { since: startedAt, links })
    : reason("working", of === null ? "It works, on no issue." : `It works on ${of.identifier}.`, {
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
    ? "its company is archived"
    : `${holdWords[hold].because}${by(act)}`;

const holdReasons = (facts: SituationFacts, at: Instant): readonly Reason[] => {
  const { agent, company } = facts;
  const holds: readonly Exclude<AnyHold, "project_budget">[] = [
    ...(facts.isHeldAsRestored ? (["restored"] as const) : []),
    ...holdsOn(agent, company, at),
  ];
  return holds.map((hold) => {
    const { by: act = null, ...more } = holdFacts[hold](facts, at);
    const because = capital(becauseOf(hold, facts, act));
    return reason(hold, `${because}: no run starts until ${holdWords[hold].until}.`, more);
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
  return reason(code, idleWords[code](issue, isWokenByTimerOnly(agent.runtimeConfig)), {
    since,
    links: [toIssue(issue), ...blockers.map(toIssue)],
  });
};

const idleWords: Readonly<Record<IdleReason, (issue: IdleIssue, byTimerOnly: boolean) => string>> = {
  waits_for_answer: ({ identifier }) => `${identifier} waits for a person's answer.`,
  in_review: ({ identifier }) => `${identifier} waits for its review.`,
  blocked_by: ({ identifier, blockers }) =>
    `${identifier} waits for ${blockers.map((blocker) => blocker.identifier).join(", ")}.`,
  marked_blocked: ({ identifier }) => `${identifier} is marked as blocked, by no issue.`,
  project_budget: ({ identifier }) => `The budget of the project of ${identifier} is used up.`,
  gates_judged: ({ identifier }) => `${identifier} waits for the verdict on its gates.`,
  stalled: ({ identifier }, byTimerOnly) =>
    byTimerOnly
      ? `${identifier} was left in progress; only its timer wakes it.`
      : `${identifier} is still in progress, and nothing will continue it. Comment on it, or wake the agent.`,
  not_woken: ({ identifier }, byTimerOnly) =>
    byTimerOnly
      ? `${identifier} is to be done; only its timer wakes it.`
      : `${identifier} is to be done, and nothing has woken it: comment on it, or wake the agent.`,
};

/** When its next run starts if nobody acts on the reasons. */
const nextOf = (
  { agent, runs, issues }: SituationFacts,
  strongest: Reason,
  at: Instant,
): Situation["next"] => {
  const { state } = situationReasons[strongest.code];
  if (state === "terminated" || state === "draft") return { sentence: "Nothing.", at: null };
  if (state === "held")
    return strongest.until === null
      ? { sentence: "Nothing by itself.", at: null }
      : {
          sentence: `The new month, at ${strongest.until}, unless the budget is raised before.`,
          at: strongest.until,
        };
  if (state === "starting") return { sentence: "The run that starts now.", at };
  if (strongest.until !== null)
    return { sentence: `The end of that limit, at ${strongest.until}.`, at: strongest.until };
  const waiting = runs.filter(
    ({ status, quarantinedSince }) => status === "queued" && quarantinedSince === null,
  ).length;
  if (waiting > 0)
    return {
      sentence: `The run that is queued${waiting === 1 ? "" : `, and ${waiting - 1} after it`}.`,
      at: null,
    };
  const heartbeat = agent.runtimeConfig.heartbeat;
  const events = isWokenByTimerOnly(agent.runtimeConfig) ? null : "an issue, a comment or an answer";
  if (agent.nextTimerAt === null)
    return {
      sentence: events === null ? "Nothing: it has no timer." : `${capital(events)}; it has no timer.`,
      at: null,
    };
  const onlyWithWork = heartbeat?.onlyWithWork === true && !issues.some(isReady);
  return {
    sentence: `Its timer, at ${agent.nextTimerAt}${onlyWithWork ? ", if it can continue an issue then" : ""}${events === null ? "" : `; or ${events} before`}.`,
    at: agent.nextTimerAt,
  };
};

const isReady = ({ status, blockers, isHeldByProjectBudget, awaitsGates }: IdleIssue): boolean =>
  isReadyStatus(status) && blockers.length === 0 && !isHeldByProjectBudget && !awaitsGates;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
