import * as Effect from "effect/Effect";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Agent } from "../../core/model/agents/agent.ts";
import type { Situation } from "../../core/model/agents/situation.ts";
import { type ReasonCode, situationReasons } from "../../core/model/agents/situation-reasons.ts";
import { type IssueStatus, issueStatuses } from "../../core/model/issues/issue-status.ts";
import type { Caps } from "../../core/model/runs/gate.ts";
import type { AgentId, CompanyId, ServiceId } from "../../core/model/shared/ids.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { explainAgents } from "../../core/staff/agents/explain-agents.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
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
import { times } from "../support/sample.ts";
import { contextOf } from "../support/units.ts";
import { localClaims, noTemplates } from "../support/workspaces.ts";

const wide: Caps = { instance: 1_000, company: 1_000, adapterType: 1_000 };
const adapters = { loaded: () => new Map([["process", {}]]), known: () => [] } as unknown as AdapterRegistry;
const runners = { ...noTemplates, get: () => ({}) } as unknown as Runners;
const at = new Date().toISOString();
const clock = { now: () => at };
const serviceId = newId<ServiceId>();

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
  await storage.sql`
    insert into services (id, host, pid, process_started_at, role, started_at, lease_until)
    values (${serviceId}, 'here', 1, 'x', 'all', now(), now() + interval '1 hour')
  `;
});
afterAll(() => storage.close());

const explain = async (companyId: CompanyId, caps = wide, known = adapters) => {
  const explained = await Effect.runPromise(
    explainAgents(storage.views, known, runners, caps, clock)({ companyId }),
  );
  return new Map(explained.map(({ id, situation }) => [id, situation]));
};

/** Claims until nothing more may start: a service does, in as many rounds as that takes. */
const claimAll = async (caps: Caps): Promise<ReadonlySet<AgentId>> => {
  const claim = claimRuns(contextOf(storage.transactor, clock));
  const agents = new Set<AgentId>();
  for (let again = true; again; ) {
    const { claimed, mayBeMore } = await Effect.runPromise(
      claim({ serviceId, adapterTypes: ["process"], ...localClaims, limit: 20, caps }),
    );
    for (const { run } of claimed) agents.add(run.agentId);
    again = mayBeMore;
  }
  return agents;
};

const codesOf = ({ reasons }: Situation): readonly ReasonCode[] => reasons.map(({ code }) => code);

const aCap = fc.constantFrom(1, 2, 1_000);
const aWorld = fc.record({
  companyIsPaused: fc.constantFrom(false, false, false, true),
  caps: fc.record({ instance: aCap, company: aCap, adapterType: aCap }),
  agents: fc.array(
    fc.record({
      isPaused: fc.constantFrom(false, false, true),
      isOutOfBudget: fc.constantFrom(false, false, true),
      accountIsHeld: fc.constantFrom(false, false, true),
      most: fc.constantFrom(1, 20),
      work: fc.array(
        fc.record({
          status: fc.constantFrom<IssueStatus>(...issueStatuses.filter((each) => each !== "in_progress")),
          isReassigned: fc.constantFrom(false, false, true),
          projectIsHeld: fc.constantFrom(false, false, true),
          recent: fc.constantFrom(0, 0, 5),
          isWoken: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

type World = typeof aWorld extends fc.Arbitrary<infer Value> ? Value : never;

/** Stores it: the wakes first, then what stands against them, as in a company where both come at any time. */
const store = async (world: World) => {
  const { id: companyId } = await aCompany(storage);
  const project = await aProject(storage, { companyId });
  for (const [n, { most, work, accountIsHeld, isPaused, isOutOfBudget }] of world.agents.entries()) {
    const agent = await anAgent(storage, {
      companyId,
      runtimeConfig: { heartbeat: { maxConcurrentRuns: most } },
      adapterConfig: { env: { API_KEY: `${companyId} ${n}` } },
    });
    for (const { status, isReassigned, projectIsHeld, recent, isWoken } of work) {
      const { id: issueId } = await anIssue(storage, { companyId, assigneeAgentId: agent.id });
      if (isWoken) await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, issueId, at })));
      for (let i = 1; i <= recent; i++)
        await storage.sql`
          insert into runs (id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source,
                            started_at, finished_at, created_at, updated_at)
          values (${newId()}, ${companyId}, ${agent.id}, ${issueId}, 'process', 'succeeded', 'issue_assigned',
                  'assignment', ${addSeconds(at, -i)}, ${at}, ${at}, ${at})
        `;
      await storage.sql`
        update  issues
        set     status = ${status},
                assignee_agent_id = ${isReassigned ? null : agent.id},
                project_id = ${projectIsHeld ? project.id : null}
        where   id = ${issueId}
      `;
    }
    if (accountIsHeld)
      await storage.run(({ runs }) =>
        runs.holdAccount({
          agentId: agent.id,
          adapterType: "process",
          notBefore: addSeconds(at, 600),
          runId: newId(),
          at,
        }),
      );
    await storage.sql`
      update  agents
      set     held_manually_at = ${isPaused ? at : null},
              held_by_budget_at = ${isOutOfBudget ? at : null}
      where   id = ${agent.id}
    `;
  }
  await storage.run(({ projects }) => projects.setBudgetHold(project.id, at));
  if (world.companyIsPaused)
    await storage.sql`update companies set status = 'paused' where id = ${companyId}`;
  return companyId;
};

describe("Why an agent does what it does", () => {
  it("agrees with what a claim then does, whatever stands in its way", async () => {
    await fc.assert(
      fc.asyncProperty(aWorld, async (world) => {
        // Those of the world before.
        await storage.sql`update runs set status = 'cancelled' where status in ('queued', 'running')`;
        const companyId = await store(world);
        const before = await explain(companyId, world.caps);
        const claimed = await claimAll(world.caps);
        const after = await explain(companyId, world.caps);
        for (const [agentId, situation] of before) {
          // Others may take the last slot; then that is what it says afterwards.
          if (claimed.has(agentId)) expect(codesOf(situation)).toContain("starting");
          else if (codesOf(situation).includes("starting"))
            expect(codesOf(after.get(agentId)!)).toContain("no_slot");
        }
        for (const [agentId, situation] of after) {
          expect(codesOf(situation)).not.toContain("starting");
          expect(codesOf(situation)).not.toContain("run_refused");
          expect(situation.state === "working").toBe(claimed.has(agentId));
          expect(situation.sentence).toBe(situation.reasons[0]?.sentence);
        }
      }),
      { numRuns: times(25, 400) },
    );
  });

  /** Its only agent after that, in the company. */
  const situationAfter = async (
    make: (of: { companyId: CompanyId; agentId: AgentId }) => Promise<unknown>,
    fields: Partial<Agent> = {},
  ) => {
    const { id: companyId } = await aCompany(storage);
    const { id: agentId } = await anAgent(storage, { companyId, ...fields });
    await make({ companyId, agentId });
    return (await explain(companyId)).get(agentId)!;
  };

  it("says that there is no work, and when its timer looks for some", async () => {
    const nextTimerAt = addSeconds(at, 900);
    const heartbeat = { enabled: true, intervalSec: 900, onlyWithWork: true };
    const idle = await situationAfter(async () => {}, { nextTimerAt, runtimeConfig: { heartbeat } });
    expect(idle).toMatchObject({ state: "idle", sentence: "Nothing assigned." });
    expect(idle.next).toEqual({
      sentence: `On schedule, at ${nextTimerAt}, if it has work then, or when it gets an issue, comment or answer.`,
      at: nextTimerAt,
    });
  });

  it("names the issue that blocks, and the one that nothing continues", async () => {
    const found = await situationAfter(async ({ companyId, agentId }) => {
      const blocker = await anIssue(storage, { companyId });
      const blocked = await anIssue(storage, { companyId, assigneeAgentId: agentId, status: "blocked" });
      await anIssue(storage, { companyId, assigneeAgentId: agentId, status: "in_progress" });
      await storage.sql`
        insert into issue_blockers (company_id, issue_id, blocked_by_id)
        values (${companyId}, ${blocked.id}, ${blocker.id})
      `;
    });
    expect(codesOf(found)).toEqual(["stalled", "blocked_by"]);
    const [stalled, blocked] = found.reasons;
    expect(stalled).toMatchObject({ needsPerson: true });
    expect(blocked!.links.map(({ label }) => label)).toHaveLength(2);
    expect(blocked!.sentence).toBe(`${blocked!.links[0]!.label} is blocked by ${blocked!.links[1]!.label}.`);
  });

  it("offers nobody to wake an agent that only its timer wakes", async () => {
    const heartbeat = { enabled: true, intervalSec: 600, wakeOnDemand: false };
    const found = await situationAfter(
      async ({ companyId, agentId }) => {
        await anIssue(storage, { companyId, assigneeAgentId: agentId, status: "in_progress" });
        await anIssue(storage, { companyId, assigneeAgentId: agentId, status: "todo" });
      },
      { runtimeConfig: { heartbeat } },
    );
    expect(codesOf(found)).toEqual(["stalled", "not_woken"]);
    for (const { sentence } of found.reasons)
      expect(sentence).toMatch(/ The agent's schedule (?:wakes it next|starts it)\.$/);
  });

  it("names the missing adapter of a queued run", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, at })));
    const none = { loaded: () => new Map(), known: () => [] } as unknown as AdapterRegistry;
    expect((await explain(companyId, wide, none)).get(agent.id)).toMatchObject({
      state: "waiting",
      sentence: expect.stringContaining("Adapter process isn't installed"),
    });
  });

  it("says first what is stronger", () => {
    const states = Object.values(situationReasons).map(({ state }) => state);
    const order = [...new Set(states)];
    expect(states).toEqual(order.flatMap((state) => states.filter((each) => each === state)));
  });
});
