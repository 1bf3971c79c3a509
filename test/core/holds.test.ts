import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import type { LifecycleState } from "../../core/model/agents/agent-status.ts";
import { notInvokable } from "../../core/model/agents/not-invokable.ts";
import { companyStatuses } from "../../core/model/companies/company.ts";
import { budgetHoldsFrom, budgetHolds as budgetHoldsOfCore } from "../../core/model/costs/budget.ts";
import { inboxScope } from "../../core/model/inbox/inbox-entry.ts";
import type { AgentId, IssueId, ServiceId, VolumeId } from "../../core/model/shared/ids.ts";
import { addSeconds, monthOf } from "../../core/model/shared/instant.ts";
import { showAgent } from "../../core/staff/agents/show-agent.ts";
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
import { whatNextOf } from "../support/explained-runs.ts";
import { root } from "../support/imports.ts";
import * as nouns from "../support/nouns.ts";

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());
const agents = () => showAgent(storage.views.agents, systemClock);

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
        const { id: companyId } = await aCompany(storage, { status });
        await storage.run(({ companies }) => companies.setBudgetHold(companyId, companyHeldByBudgetAt));
        const projects = await Promise.all(
          budgetHolds.map((heldByBudgetAt) => aProject(storage, { companyId, heldByBudgetAt })),
        );
        for (const lifecycleState of lifecycleStates)
          for (const heldManuallyAt of [null, at])
            for (const heldByBudgetAt of budgetHolds) {
              const agent = await anAgent(storage, {
                companyId,
                lifecycleState,
                heldManuallyAt,
                heldByBudgetAt,
              });
              await storage.run(({ companies, issues, wakes }) =>
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

    const stored = await storage.sql<{ id: string; status: string; endReason: string | null }[]>`
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
      defaultRunner: "local",
      limit: 1_000,
      caps,
      at,
    };
    const chosen = new Set(
      (await storage.run(({ runs }) => runs.lockCandidates(scope))).candidates.map(
        ({ run }): string => run.id,
      ),
    );
    expect([...expected].filter(([runId, no]) => chosen.has(runId) !== (no !== null))).toEqual([]);

    for (const [agentId, no] of ofAgents) {
      const agent = await Effect.runPromise(agents().show(agentId, nouns.anAdmin));
      const shown = ["idle", "error", "running"].includes(agent.status);
      expect([agentId, shown]).toEqual([agentId, no === null]);
    }
  });

  it("of budgets are judged equally by the core and by each statement that asks", async () => {
    const { id: companyId } = await aCompany(storage);
    for (const heldByBudgetAt of budgetHolds) {
      const isHeld = budgetHoldsOfCore(heldByBudgetAt, at);
      const project = await aProject(storage, { companyId, heldByBudgetAt });
      const agent = await anAgent(storage, { companyId, heldByBudgetAt });
      const worker = await anAgent(storage, { companyId });
      const { id } = await anIssue(storage, {
        companyId,
        projectId: project.id,
        assigneeAgentId: worker.id,
        status: "todo",
      });
      const actionable = await storage.run(({ issues }) => issues.actionable({ issueId: id }, at));
      expect([heldByBudgetAt, actionable.length]).toEqual([heldByBudgetAt, isHeld ? 0 : 1]);
      const [situation] = await Effect.runPromise(
        storage.views.agents.situations({ agentId: worker.id }, at),
      );
      expect(situation?.issues[0]?.isHeldByProjectBudget).toBe(isHeld);
      const scope = inboxScope(nouns.anAdmin, companyId, at);
      const { items } = await Effect.runPromise(
        storage.views.inbox.list(scope, {}, { limit: 100, cursor: undefined }),
      );
      const stops = items.filter(({ kind }) => kind === "budget_stop");
      for (const subject of [project.id, agent.id])
        expect([subject, stops.some(({ subjectId }) => subjectId === subject)]).toEqual([subject, isHeld]);
      const past = await storage.run(({ agents }) => agents.lockHeldBefore(budgetHoldsFrom(at), 100));
      expect(past.some((found) => found.id === agent.id)).toBe(heldByBudgetAt !== null && !isHeld);
    }
  });

  it("of budgets are compared in one statement of SQL alone", async () => {
    const folder = join(root, "adapters-infra/postgres");
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts"));
    const texts = await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, name), "utf8")]),
    );
    const comparing = texts.filter(([, text]) => /held_by_budget_at`?\}?\s*[<>]/.test(text!));
    expect(comparing.map(([name]) => name)).toEqual([]);
  });

  it("of a company appear in the advice on a run that left its issue in progress", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const issue = await anIssue(storage, { companyId, assigneeAgentId: agent.id, status: "in_progress" });
    const request = aWakeRequest({ agent, issueId: issue.id, at });
    await storage.run(({ wakes }) => wakes.add(request));
    await storage.sql`update runs set status = 'succeeded', finished_at = ${at} where id = ${request.runId}`;
    await storage.run(({ companies }) => companies.setBudgetHold(companyId, at));
    expect(await whatNextOf(storage, request.runId, at)).toBe(
      "Waiting until the company's budget is raised or the new month begins.",
    );
  });

  it("of a project appear in the advice on its runs", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const project = await aProject(storage, { companyId });
    const issue = await anIssue(storage, { companyId, assigneeAgentId: agent.id, projectId: project.id });
    const request = aWakeRequest({ agent, issueId: issue.id, at });
    await storage.run(({ wakes }) => wakes.add(request));
    await storage.run(({ projects }) => projects.setBudgetHold(project.id, at));
    await storage.sql`update runs set status = 'cancelled', finished_at = ${at} where id = ${request.runId}`;
    expect(await whatNextOf(storage, request.runId, at)).toBe(
      "Waiting until the project's budget is raised or the new month begins.",
    );
    expect((await Effect.runPromise(agents().show(agent.id, nouns.anAdmin))).status).toBe("idle");
  });
});
