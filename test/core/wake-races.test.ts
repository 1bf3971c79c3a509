import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transactorOf } from "../../adapters-infra/postgres/transactor.ts";
import { companies as companiesIn } from "../../core/companies/index.ts";
import type { AgentId, CostEventId, IssueId, ServiceId } from "../../core/model/shared/ids.ts";
import { reportCost } from "../../core/money/report-cost.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { pauseAgent } from "../../core/staff/agents/pause-agent.ts";
import { resumeAgent } from "../../core/staff/agents/resume-agent.ts";
import { updateAgent } from "../../core/staff/agents/update-agent.ts";
import { updateIssue } from "../../core/work/issues/update-issue.ts";
import { updateProject } from "../../core/work/projects/update-project.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Transactor } from "../../ports/transactor.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aProject,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { eventually } from "../support/eventually.ts";
import * as nouns from "../support/nouns.ts";
import { contextOf } from "../support/units.ts";
import { localClaims, noTemplates } from "../support/workspaces.ts";

const clock = { now: () => new Date().toISOString() };
const ids = { newId };
/** The verbs of companies that run here show no agents. */
const unasked = () => Effect.die("no agent is shown here");
const by = nouns.theBoard;

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage({ max: 8 });
});
afterAll(() => storage.close());

/** Everything is written, but committed only on release. */
const blockedTransactor = () => {
  let letGo = () => {};
  let isWritten = () => {};
  const going = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const written = new Promise<void>((resolve) => {
    isWritten = resolve;
  });
  const transactor = transactorOf((work) =>
    storage.transactor.transact((stores) =>
      work(stores).pipe(
        // Writes are sent without waiting for them, and done before the next read on their connection.
        Effect.tap(() => stores.runs.isActive(newId())),
        Effect.tap(() =>
          Effect.promise(() => {
            isWritten();
            return going;
          }),
        ),
      ),
    ),
  );
  return { transactor, letGo, written };
};

type Deed = (transactor: Transactor) => Effect.Effect<unknown, unknown>;

/**
 * The first has written everything and the second has come as far as possible before either commits. `meanwhile` runs
 * between that and the first's commit.
 */
const atOnce = async (
  first: Deed,
  second: Deed,
  meanwhile = async (): Promise<void> => {},
): Promise<void> => {
  const { transactor, letGo, written } = blockedTransactor();
  const one = Effect.runPromise(first(transactor));
  await Promise.race([written, one]);
  let isDone = false;
  const other = Effect.runPromise(second(storage.transactor)).finally(() => {
    isDone = true;
  });
  await eventually(
    async () => {
      const waiting = await storage.sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      `;
      return isDone || waiting.length > 0;
    },
    (asFarAsItCan) => asFarAsItCan,
  );
  await meanwhile();
  letGo();
  await Promise.all([one, other]);
};

const liveRuns = (agentId: AgentId, issueId: IssueId) => storage.sql<{ wakeReason: string }[]>`
  select wake_reason from runs where agent_id = ${agentId} and issue_id = ${issueId} and status = 'queued'
`;

describe("an issue that is assigned while its agent resumes", () => {
  const holds: readonly [string, (agentId: AgentId, companyId: never) => { hold: Deed; lift: Deed }][] = [
    [
      "the agent is resumed",
      (agentId) => ({
        hold: (transactor) => pauseAgent({ transactor, clock, ids })({ agentId, by }),
        lift: (transactor) => resumeAgent({ transactor, clock, ids })({ agentId, by }),
      }),
    ],
    [
      "its company is resumed",
      (_, companyId) => ({
        hold: (transactor) =>
          companiesIn({ transactor, clock, ids }, noTemplates, storage.views, unasked).pause({
            companyId,
            by,
          }),
        lift: (transactor) =>
          companiesIn({ transactor, clock, ids }, noTemplates, storage.views, unasked).resume({
            companyId,
            by,
          }),
      }),
    ],
  ];
  it.each(holds)("starts: %s, whichever comes first", async (_, heldBy) => {
    for (const liftsFirst of [true, false]) {
      const { id: companyId } = await aCompany(storage);
      const agent = await anAgent(storage, { companyId });
      const issue = await anIssue(storage, { companyId, status: "todo" });
      const { hold, lift } = heldBy(agent.id, companyId as never);
      await Effect.runPromise(hold(storage.transactor));
      const assign: Deed = (transactor) =>
        updateIssue({ transactor, clock, ids })({ issueId: issue.id, by, assigneeAgentId: agent.id });
      await (liftsFirst ? atOnce(lift, assign) : atOnce(assign, lift));
      expect(await liveRuns(agent.id, issue.id)).toEqual([
        { wakeReason: liftsFirst ? "issue_assigned" : "agent_resumed" },
      ]);
    }
  });
});

describe("an issue whose work has two holds that are lifted at once", () => {
  const noAdapters = { loaded: () => new Map(), known: () => [] } as unknown as AdapterRegistry;
  const unlimited = { budgetMonthlyCents: 0 };
  const companiesOf = (transactor: Transactor) =>
    companiesIn({ transactor, clock, ids }, noTemplates, storage.views, unasked);

  /** An issue of a project, all of whose work is held, and what lifts each of its holds. */
  const aHeldIssue = async (applied: readonly Hold[]) => {
    const at = clock.now();
    const heldAt = (hold: Hold) => (applied.includes(hold) ? at : null);
    const { id: companyId } = await aCompany(storage, { budgetMonthlyCents: 1 });
    await storage.run(({ companies }) => companies.setBudgetHold(companyId, heldAt("the company's budget")));
    const { id: agentId } = await anAgent(storage, {
      companyId,
      budgetMonthlyCents: 1,
      heldManuallyAt: heldAt("the agent"),
      heldByBudgetAt: heldAt("the agent's budget"),
    });
    const { id: projectId } = await aProject(storage, {
      companyId,
      budgetMonthlyCents: 1,
      heldByBudgetAt: heldAt("the project's budget"),
    });
    const issue = await anIssue(storage, { companyId, projectId, assigneeAgentId: agentId, status: "todo" });
    if (applied.includes("the company"))
      await Effect.runPromise(companiesOf(storage.transactor).pause({ companyId, by }));
    const lifts: Record<Hold, Deed> = {
      "the agent": (transactor) => resumeAgent({ transactor, clock, ids })({ agentId, by }),
      "the agent's budget": (transactor) =>
        updateAgent(noAdapters, noTemplates)({ transactor, clock, ids })({ agentId, by, changes: unlimited }),
      "the company": (transactor) => companiesOf(transactor).resume({ companyId, by }),
      "the company's budget": (transactor) => companiesOf(transactor).update({ companyId, by, ...unlimited }),
      "the project's budget": (transactor) =>
        updateProject({ transactor, clock, ids })({ projectId, by, ...unlimited }),
    };
    return { agentId, issueId: issue.id, lifts };
  };
  const holds = [
    "the agent",
    "the agent's budget",
    "the company",
    "the company's budget",
    "the project's budget",
  ] as const;
  type Hold = (typeof holds)[number];
  const pairs = holds.flatMap((one) =>
    holds.flatMap((other) => (one === other ? [] : [[one, other] as const])),
  );

  it.each(pairs)("starts once: first %s, then %s", async (first, second) => {
    const { agentId, issueId, lifts } = await aHeldIssue([first, second]);
    await atOnce(lifts[first], lifts[second]);
    expect(await liveRuns(agentId, issueId)).toEqual([{ wakeReason: "agent_resumed" }]);
  });
});

describe("a run that would start while its company is stopped", () => {
  const stops: readonly [string, (ground: { companyId: never; agentId: AgentId }) => Deed][] = [
    [
      "paused",
      ({ companyId }) =>
        (transactor) =>
          companiesIn({ transactor, clock, ids }, noTemplates, storage.views, unasked).pause({
            companyId,
            by,
          }),
    ],
    [
      "out of budget",
      ({ companyId, agentId }) =>
        (transactor) =>
          reportCost({ transactor, clock, ids })({
            id: newId<CostEventId>(),
            companyId,
            by,
            agentId,
            provider: "p",
            model: "m",
            costCents: 10,
          }),
    ],
  ];
  it.each(stops)("does not start, or stops: %s, whichever comes first", async (what, stopping) => {
    for (const stopsFirst of [true, false]) {
      const { id: companyId } = await aCompany(storage, { budgetMonthlyCents: 10 });
      const adapterType = `${what}, ${stopsFirst}`;
      const agent = await anAgent(storage, { companyId, adapterType });
      const spender = await anAgent(storage, { companyId });
      const wake = () => storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, at: clock.now() })));
      const stop = stopping({ companyId: companyId as never, agentId: spender.id });
      const claim: Deed = (transactor) =>
        claimRuns(contextOf(transactor, clock))({
          serviceId: newId<ServiceId>(),
          adapterTypes: [adapterType],
          ...localClaims,
          limit: 1,
          caps: { instance: 9, company: 9, adapterType: 9 },
        });
      if (stopsFirst) {
        // A transaction that the stop does not see creates it, such as the end of another run.
        const wakeAndClaim: Deed = (transactor) =>
          Effect.andThen(
            Effect.promise(() => wake()),
            claim(transactor),
          );
        await atOnce(stop, wakeAndClaim);
      } else {
        await wake();
        await atOnce(claim, stop);
      }
      const runs = await storage.sql<{ status: string; isStopped: boolean }[]>`
        select status, stop_requested_at is not null as is_stopped from runs where agent_id = ${agent.id}
      `;
      expect(runs).toMatchObject([
        stopsFirst ? { status: "cancelled" } : { status: "running", isStopped: true },
      ]);
    }
  });
});

it("a run that is created while a claim waits for a lock starts after its creation", async () => {
  const { id: companyId } = await aCompany(storage);
  const adapterType = "late";
  const agent = await anAgent(storage, { companyId, adapterType });
  const claim: Deed = (transactor) =>
    claimRuns(contextOf(transactor, clock))({
      serviceId: newId<ServiceId>(),
      adapterTypes: [adapterType],
      ...localClaims,
      limit: 1,
      caps: { instance: 9, company: 9, adapterType: 9 },
    });
  await atOnce(claim, claim, async () => {
    // The run's instant is a later one than the claim's.
    const claimedAt = clock.now();
    await eventually(
      async () => clock.now(),
      (now) => now > claimedAt,
      { everyMs: 1 },
    );
    await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, at: clock.now() })));
  });
  const rows = await storage.sql`
    select status, started_at >= created_at as in_order from runs where agent_id = ${agent.id}
  `;
  expect(rows).toEqual([{ status: "running", inOrder: true }]);
});
