import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LifecycleState } from "../../core/agents/agent-status.ts";
import { notInvokable } from "../../core/agents/not-invokable.ts";
import { companyStatuses } from "../../core/companies/company.ts";
import type { AgentId, IssueId, ServiceId, VolumeId } from "../../core/shared/ids.ts";
import { addSeconds, monthOf } from "../../core/shared/instant.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aProject,
  aWakeRequest,
  type House,
  newId,
  openHouse,
} from "../support/builders.ts";
import * as nouns from "../support/nouns.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const at = new Date().toISOString();
const beginOfMonth = monthOf(at);
const lifecycleStates: readonly LifecycleState[] = ["active", "pending_approval", "terminated"];
/** Without a hold, held since the last instant of the previous month, and since the first of this one. */
const budgetHolds = [null, addSeconds(beginOfMonth, -0.001), beginOfMonth];

describe("Holds", () => {
  it("are judged equally by the core, the queue and the views, in every combination", async () => {
    const expected = new Map<string, string | null>();
    const ofAgents = new Map<AgentId, string | null>();
    const ofWakes = new Map<string, string | null>();
    for (const status of companyStatuses)
      for (const companyHeldByBudgetAt of budgetHolds) {
        const { id: companyId } = await aCompany(house, { status });
        await house.run(({ companies }) => companies.setBudgetHold(companyId, companyHeldByBudgetAt));
        const projects = await Promise.all(
          budgetHolds.map((heldByBudgetAt) => aProject(house, { companyId, heldByBudgetAt })),
        );
        for (const lifecycleState of lifecycleStates)
          for (const heldManuallyAt of [null, at])
            for (const heldByBudgetAt of budgetHolds) {
              const agent = await anAgent(house, {
                companyId,
                lifecycleState,
                heldManuallyAt,
                heldByBudgetAt,
              });
              await house.run(({ companies, issues, wakes }) =>
                Effect.gen(function* () {
                  for (const project of [null, ...projects]) {
                    const identifier = yield* companies.takeIdentifier(companyId);
                    const id = newId<IssueId>();
                    const projectId = project?.id ?? null;
                    const issue = nouns.anIssue({ id, companyId, identifier });
                    yield* issues.insert(issue);
                    const request = aWakeRequest({ agent, issueId: id, reason: "manual", at });
                    yield* wakes.add(request);
                    yield* issues.save({ ...issue, projectId });
                    const projectHeldByBudgetAt = project?.heldByBudgetAt ?? null;
                    const no = notInvokable(agent, agent.companyStatus, at, projectHeldByBudgetAt);
                    expected.set(request.runId, no);
                    // The core skips wakes under the other holds; the store, under the project's.
                    const later = aWakeRequest({ agent, issueId: id, reason: "manual", at });
                    yield* wakes.add(later);
                    const ofProject = notInvokable(nouns.anAgent(), "active", at, projectHeldByBudgetAt);
                    ofWakes.set(later.id, ofProject);
                  }
                }),
              );
              ofAgents.set(agent.id, notInvokable(agent, agent.companyStatus, at));
            }
      }
    expect(expected.size).toBe(162 * 4);

    const stored = await house.sql<{ id: string; status: string; endReason: string | null }[]>`
      select id, status, end_reason from wakes where id = any(${[...ofWakes.keys()]}::uuid[])
    `;
    expect(new Map(stored.map(({ id, endReason }) => [id, endReason]))).toEqual(ofWakes);
    for (const { status, endReason } of stored)
      expect(status).toBe(endReason === null ? "pending" : "skipped");

    // If no cap leaves a slot, the queue chooses only runs that the gate would refuse.
    const caps = { instance: 0, company: 0, adapterType: 0 };
    const scope = {
      adapterTypes: ["process"],
      typesWithoutFiles: [],
      runners: ["local"],
      serviceId: newId<ServiceId>(),
      volume: newId<VolumeId>(),
      usualRunner: "local",
      limit: 1_000,
      caps,
      at,
    };
    const chosen = new Set(
      (await house.run(({ runs }) => runs.lockCandidates(scope))).candidates.map(({ run }): string => run.id),
    );
    expect([...expected].filter(([runId, no]) => chosen.has(runId) !== (no !== null))).toEqual([]);

    for (const [agentId, no] of ofAgents) {
      const agent = await Effect.runPromise(house.views.agents.get(agentId, nouns.anAdmin));
      const shown = ["idle", "error", "running"].includes(agent.status);
      expect([agentId, shown]).toEqual([agentId, no === null]);
    }
  });

  it("of a company appear in the advice on a run that left its issue in progress", async () => {
    const { id: companyId } = await aCompany(house);
    const agent = await anAgent(house, { companyId });
    const issue = await anIssue(house, { companyId, assigneeAgentId: agent.id, status: "in_progress" });
    const request = aWakeRequest({ agent, issueId: issue.id, at });
    await house.run(({ wakes }) => wakes.add(request));
    await house.sql`update runs set status = 'succeeded', finished_at = ${at} where id = ${request.runId}`;
    await house.run(({ companies }) => companies.setBudgetHold(companyId, at));
    const { whatNext } = await Effect.runPromise(house.views.runs.get(request.runId));
    expect(whatNext).toBe("Nothing until the company's budget is raised or the new month begins.");
  });

  it("of a project appear in the advice on its runs", async () => {
    const { id: companyId } = await aCompany(house);
    const agent = await anAgent(house, { companyId });
    const project = await aProject(house, { companyId });
    const issue = await anIssue(house, { companyId, assigneeAgentId: agent.id, projectId: project.id });
    const request = aWakeRequest({ agent, issueId: issue.id, at });
    await house.run(({ wakes }) => wakes.add(request));
    await house.run(({ projects }) => projects.setBudgetHold(project.id, at));
    await house.sql`update runs set status = 'cancelled', finished_at = ${at} where id = ${request.runId}`;
    const { whatNext } = await Effect.runPromise(house.views.runs.get(request.runId));
    expect(whatNext).toBe("Nothing until the project's budget is raised or the new month begins.");
    expect((await Effect.runPromise(house.views.agents.get(agent.id, nouns.anAdmin))).status).toBe("idle");
  });
});
