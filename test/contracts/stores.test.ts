import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueStore } from "../../adapters-infra/postgres/stores/issue-store.ts";
import type { Statements } from "../../adapters-infra/postgres/transaction.ts";
import type { Company } from "../../core/model/companies/company.ts";
import { nextIssuePrefix } from "../../core/model/companies/company.ts";
import type { Goal } from "../../core/model/goals/goal.ts";
import { type Issue, isReady } from "../../core/model/issues/issue.ts";
import { issueStatuses } from "../../core/model/issues/issue-status.ts";
import type {
  AgentKeyId,
  CompanyId,
  GoalId,
  IssueId,
  ProjectId,
  RevisionId,
  RunId,
  TokenId,
  UserId,
} from "../../core/model/shared/ids.ts";
import { stopRuns } from "../../core/queue/stop-runs.ts";
import type { Stores } from "../../ports/transactor.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { eventually } from "../support/eventually.ts";
import { waitingForLock } from "../support/lock-waits.ts";
import * as nouns from "../support/nouns.ts";
import { unitAt } from "../support/units.ts";

let storage: TestStorage;
let company: Company;

beforeAll(async () => {
  storage = await openTestStorage();
  company = await aCompany(storage);
});
afterAll(() => storage.close());

const codeOf = (effect: Effect.Effect<unknown, { readonly code: string }>) =>
  Effect.runPromise(
    effect.pipe(
      Effect.flip,
      Effect.map(({ code }) => code),
    ),
  );

const refusal = (work: (stores: Stores) => Effect.Effect<unknown, { readonly code: string }>) =>
  codeOf(storage.transactor.transact(work));

describe("companies", () => {
  it("are read as they were stored", async () => {
    const stored = await aCompany(storage, {
      description: "Makes things",
      budgetMonthlyCents: 5_000_000_000,
    });
    expect(await storage.run(({ companies }) => companies.lock(stored.id))).toEqual(stored);
    const changed = { ...stored, status: "paused" as const, updatedAt: nouns.now };
    await storage.run(({ companies }) => companies.save(changed));
    expect(await storage.run(({ companies }) => companies.lock(stored.id))).toEqual(changed);
    expect(await storage.run(({ companies }) => companies.status(stored.id))).toMatchObject({
      status: "paused",
    });
  });

  it("created at once get unique prefixes, the first free ones", async () => {
    const founded = await Promise.all(
      Array.from({ length: 12 }, () => aCompany(storage, { name: "Zebra", issuePrefix: "ZEB" })),
    );
    expect(founded.map(({ issuePrefix }) => issuePrefix).sort()).toEqual(
      Array.from({ length: 12 }, (_, n) => nextIssuePrefix("ZEB", n)).sort(),
    );
  });

  it("number their issues without a gap, however many are created at once", async () => {
    const { id } = await aCompany(storage);
    const identifiers = await Promise.all(
      Array.from({ length: 20 }, () => storage.run(({ companies }) => companies.takeIdentifier(id))),
    );
    const numbers = identifiers.map((identifier) => Number(identifier.split("-")[1])).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  it("number an issue while another is being created, whose number stays unused after a rollback", async () => {
    const { id } = await aCompany(storage);
    const numberOf = (identifier: string) => Number(identifier.split("-")[1]);
    const first = storage.run(({ companies }) =>
      Effect.gen(function* () {
        yield* companies.takeIdentifier(id);
        const meanwhile = yield* Effect.promise(() =>
          storage.run(({ companies }) => companies.takeIdentifier(id)),
        );
        expect(numberOf(meanwhile)).toBe(2);
        return yield* Effect.die("undone");
      }),
    );
    await expect(first).rejects.toThrow("undone");
    expect(numberOf(await storage.run(({ companies }) => companies.takeIdentifier(id)))).toBe(3);
  });

  it("that do not exist are refused", async () => {
    const id = newId<CompanyId>();
    expect(await refusal(({ companies }) => companies.lock(id))).toBe("company_not_found");
    expect(await refusal(({ companies }) => companies.status(id))).toBe("company_not_found");
    expect(await refusal(({ companies }) => companies.takeIdentifier(id))).toBe("company_not_found");
  });
});

describe("agents", () => {
  it("are read as they were stored, with the status of their company", async () => {
    const agent = await anAgent(storage, {
      companyId: company.id,
      adapterConfig: { env: { A_KEY: { type: "plain", value: "x" } }, snake_case: { kept_as_is: true } },
      runtimeConfig: { heartbeat: { enabled: true, intervalSec: 60 } },
      metadata: { any: ["thing", null] },
      nextTimerAt: nouns.now,
      budgetMonthlyCents: 1_000_000_000_000,
    });
    expect(agent.companyStatus).toBe("active");
    expect(agent.adapterConfig).toEqual({
      env: { A_KEY: { type: "plain", value: "x" } },
      snake_case: { kept_as_is: true },
    });
    const { companyStatus, ...stored } = agent;
    await storage.run(({ agents }) => agents.save({ ...stored, title: "Boss", metadata: null }));
    expect(await storage.run(({ agents }) => agents.lock(agent.id))).toEqual({
      ...agent,
      title: "Boss",
      metadata: null,
    });
  });

  it("are found by id and urlKey only in their company, live ones before terminated ones", async () => {
    const other = await aCompany(storage);
    const agent = await anAgent(storage, { companyId: company.id });
    const find = (reference: string, companyId: CompanyId) =>
      storage.run(({ agents }) => agents.findByReference(reference, companyId));
    expect((await find(agent.id, company.id))?.id).toBe(agent.id);
    expect((await find(agent.urlKey.toUpperCase(), company.id))?.id).toBe(agent.id);
    expect(await find(agent.id, other.id)).toBeNull();
    expect(await find("no-such-agent", company.id)).toBeNull();
    expect(await storage.run(({ agents }) => agents.findInCompany(agent.id, other.id))).toBeNull();
    expect(
      (await storage.run(({ agents }) => agents.findAll([agent.id, newId()], company.id))).map(
        ({ id }) => id,
      ),
    ).toEqual([agent.id]);
    await storage.run(({ agents }) => agents.save({ ...agent, lifecycleState: "terminated" }));
    expect((await find(agent.id, company.id))?.lifecycleState).toBe("terminated");
    const gone = await storage.run(({ agents }) => agents.findInCompany(agent.id, company.id));
    expect(gone?.lifecycleState).toBe("terminated");
    const heir = await anAgent(storage, { companyId: company.id, urlKey: agent.urlKey });
    expect((await find(agent.urlKey, company.id))?.id).toBe(heir.id);
    expect(
      (await storage.run(({ agents }) => agents.mentionable(company.id))).map(({ id }) => id),
    ).not.toContain(agent.id);
  });

  it("may reuse the urlKey of a terminated agent, not of a live one", async () => {
    const agent = await anAgent(storage, { companyId: company.id, name: "Same Name" });
    const clash = () => anAgent(storage, { companyId: company.id, name: "Same Name" });
    await expect(clash()).rejects.toMatchObject({ code: "agent_name_taken" });
    await storage.run(({ agents }) => agents.save({ ...agent, lifecycleState: "terminated" }));
    await clash();
  });

  it("with a due timer go to one server at a time", async () => {
    const { id: companyId } = await aCompany(storage);
    for (let n = 0; n < 6; n++) await anAgent(storage, { companyId, nextTimerAt: nouns.earlier });
    await anAgent(storage, { companyId, nextTimerAt: "2099-01-01T00:00:00.000Z" });
    const at = "2026-01-30T09:00:00.000Z";
    let ticks = 0;
    const tick = () =>
      storage.run(({ agents }) =>
        Effect.gen(function* () {
          const due = yield* agents.lockDueTimers(at, 4);
          for (const agent of due) yield* agents.setNextTimer(agent.id, "2099-01-01T00:00:00.000Z");
          ticks += 1;
          yield* Effect.promise(() =>
            eventually(
              async () => ticks,
              (count) => count >= 2,
              { everyMs: 5 },
            ),
          );
          return due.map(({ id }) => id);
        }),
      );
    const [one, other] = await Promise.all([tick(), tick()]);
    const all = [...one, ...other, ...(await tick())];
    expect(new Set(all).size).toBe(6);
    expect(all).toHaveLength(6);
  });

  it("have keys that are revoked once, permanently", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const id = newId<AgentKeyId>();
    const key = { id, companyId: company.id, agentId: agent.id, name: "ci", createdAt: nouns.now };
    await storage.run(({ agents }) => agents.insertKey({ ...key, hash: Buffer.alloc(32, 1) }));
    const revoke = (at: string) => storage.run(({ agents }) => agents.revokeKey(id, agent.id, at));
    expect(await revoke("2026-02-01T00:00:00.000Z")).toBe(true);
    expect(await revoke("2026-03-01T00:00:00.000Z")).toBe(true);
    expect(await storage.run(({ agents }) => agents.revokeKey(newId(), agent.id, nouns.now))).toBe(false);
    expect(await Effect.runPromise(storage.views.agents.keys(agent.id))).toMatchObject([
      { id, revokedAt: "2026-02-01T00:00:00.000Z", lastUsedAt: null },
    ]);
  });

  it("keep every configuration they had", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const revision = {
      id: newId<RevisionId>(),
      companyId: company.id,
      agentId: agent.id,
      source: "patch" as const,
      rolledBackFromRevisionId: null,
      changedKeys: ["name", "adapterConfig"],
      beforeConfig: null,
      afterConfig: nouns.aConfig({ adapterConfig: { model_name: "x" } }),
      createdByAgentId: null,
      createdByUserId: newId<UserId>(),
      createdAt: nouns.now,
    };
    await storage.run(({ agents }) => agents.insertRevision(revision));
    expect(await storage.run(({ agents }) => agents.findRevision(revision.id, agent.id))).toEqual(revision);
    expect(await storage.run(({ agents }) => agents.findRevision(revision.id, newId()))).toBeNull();
  });

  it("lock their chain of command during a decision on one of its links", async () => {
    const { id: companyId } = await aCompany(storage);
    const boss = await anAgent(storage, { companyId });
    const report = await anAgent(storage, { companyId, reportsTo: boss.id });
    const links = await storage.run(({ agents }) => agents.lockChainOfCommand(companyId));
    expect(links).toEqual(
      new Map([
        [boss.id, []],
        [report.id, [boss.id]],
      ]),
    );
    // Two transactions would each put an agent under the other: the second sees the change of the first.
    const hang = (agent: typeof boss, under: typeof boss) =>
      storage.run(({ agents }) =>
        Effect.gen(function* () {
          const managers = yield* agents.lockChainOfCommand(companyId);
          if (managers.get(under.id)?.includes(agent.id)) return "a circle";
          yield* agents.save({ ...agent, reportsTo: under.id });
          yield* Effect.promise(() => waitingForLock(storage.sql, 1));
          return "done";
        }),
      );
    const [a, b] = [await anAgent(storage, { companyId }), await anAgent(storage, { companyId })];
    expect((await Promise.all([hang(a, b), hang(b, a)])).sort()).toEqual(["a circle", "done"]);
  });
});

describe("issues", () => {
  it("come back as they were stored", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const parent = await anIssue(storage, { companyId: company.id });
    const issue = await anIssue(storage, {
      companyId: company.id,
      description: "with 'quotes' and \\ and é\n",
      status: "in_progress",
      priority: "critical",
      assigneeAgentId: agent.id,
      checkoutRunId: newId<RunId>(),
      heldSince: nouns.now,
      parentId: parent.id,
      billingCode: "X-1",
      startedAt: nouns.now,
    });
    expect(await storage.run(({ issues }) => issues.lock(issue.id))).toEqual(issue);
    expect(await storage.run(({ issues }) => issues.find(issue.id))).toEqual(issue);
    expect(await refusal(({ issues }) => issues.lock(newId()))).toBe("issue_not_found");
    expect(await refusal(({ issues }) => issues.find(newId()))).toBe("issue_not_found");
  });

  it("are unlocked only by the run that held them", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const checkedOut = {
      status: "in_progress" as const,
      assigneeAgentId: agent.id,
      heldSince: nouns.earlier,
    };
    const runId = newId<RunId>();
    const mine = await anIssue(storage, { companyId: company.id, ...checkedOut, checkoutRunId: runId });
    const other = await anIssue(storage, {
      companyId: company.id,
      ...checkedOut,
      checkoutRunId: newId<RunId>(),
    });
    await storage.run(({ issues }) => issues.unlockAll([runId], nouns.now));
    expect(await storage.run(({ issues }) => issues.find(mine.id))).toEqual({
      ...mine,
      checkoutRunId: null,
      heldSince: null,
      updatedAt: nouns.now,
    });
    expect(await storage.run(({ issues }) => issues.find(other.id))).toEqual(other);
  });

  it("are locked once in a transaction, and then as it has left them", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const runId = newId<RunId>();
    const { id } = await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id });
    const [saved, unlocked] = await storage.run(({ issues }) =>
      Effect.gen(function* () {
        const before = yield* issues.lock(id);
        const checkedOut = {
          ...before,
          status: "in_progress",
          checkoutRunId: runId,
          heldSince: nouns.now,
        } as const;
        yield* issues.save(checkedOut);
        const after = yield* issues.lock(id);
        yield* issues.unlockAll([runId], nouns.now);
        return [{ after, checkedOut }, yield* issues.lock(id)] as const;
      }),
    );
    expect(saved.after).toEqual(saved.checkedOut);
    expect(unlocked).toEqual({
      ...saved.checkedOut,
      checkoutRunId: null,
      heldSince: null,
      updatedAt: nouns.now,
    });

    let asked = 0;
    const first = () =>
      Effect.sync(() => {
        asked += 1;
        return unlocked;
      });
    const counting = { first } as unknown as Statements;
    const { lock } = issueStore(counting);
    await Effect.runPromise(Effect.andThen(lock(id), lock(id)));
    expect(asked).toBe(1);
  });

  it("name references that are missing or belong to another company", async () => {
    const other = await aCompany(storage);
    const parent = await anIssue(storage, { companyId: company.id });
    const foreign = await anIssue(storage, { companyId: other.id });
    const missing = (references: object) =>
      storage.run(({ issues }) => issues.missingReferences(company.id, references));
    expect(await missing({})).toEqual([]);
    expect(await missing({ parentId: parent.id, projectId: null })).toEqual([]);
    expect(
      await missing({ parentId: foreign.id, projectId: newId<ProjectId>(), goalId: newId<GoalId>() }),
    ).toEqual(["parentId", "projectId", "goalId"]);
    expect(await storage.run(({ issues }) => issues.existing([parent.id, foreign.id], company.id))).toEqual([
      { id: parent.id, status: parent.status },
    ]);
  });

  it("have the chain of their parents", async () => {
    const top = await anIssue(storage, { companyId: company.id });
    const middle = await anIssue(storage, { companyId: company.id, parentId: top.id });
    const leaf = await anIssue(storage, { companyId: company.id, parentId: middle.id });
    expect(await storage.run(({ issues }) => issues.parentChain(leaf.id))).toEqual(
      new Map([
        [leaf.id, [middle.id]],
        [middle.id, [top.id]],
        [top.id, []],
      ]),
    );
  });

  const waitingFor = async (blockers: readonly Issue[], fields: Partial<Issue> = {}) => {
    const agent = await anAgent(storage, { companyId: company.id });
    const issue = await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id, ...fields });
    const ids = blockers.map(({ id }) => id);
    await storage.run(({ issues }) => issues.replaceBlockers(company.id, issue.id, ids));
    return issue;
  };

  it("wait for their blockers until those are closed", async () => {
    const one = await anIssue(storage, { companyId: company.id });
    const other = await anIssue(storage, { companyId: company.id, status: "done" });
    const third = await anIssue(storage, { companyId: company.id });
    const issue = await waitingFor([one, other, third]);
    const open = () => storage.run(({ issues }) => issues.openBlockers(issue.id));
    expect(new Set(await open())).toEqual(new Set([one.id, third.id]));
    await storage.run(({ issues }) => issues.replaceBlockers(company.id, issue.id, [third.id, other.id]));
    expect(await open()).toEqual([third.id]);
    const links = await storage.run(({ issues }) => issues.lockBlockerLinks(company.id, issue.id, []));
    expect(new Set(links.get(issue.id))).toEqual(new Set([third.id, other.id]));
    await storage.run(({ issues }) => issues.replaceBlockers(company.id, issue.id, []));
    expect(await open()).toEqual([]);
  });

  it("find what new blockers reach, and nothing else", async () => {
    const [end, middle, before, aside] = [
      await anIssue(storage, { companyId: company.id }),
      await anIssue(storage, { companyId: company.id }),
      await anIssue(storage, { companyId: company.id }),
      await anIssue(storage, { companyId: company.id }),
    ];
    const link = (id: IssueId, blockedBy: readonly IssueId[]) =>
      storage.run(({ issues }) => issues.replaceBlockers(company.id, id, blockedBy));
    await link(middle.id, [end.id]);
    await link(before.id, [middle.id, end.id]);
    await link(aside.id, [before.id]);
    const issue = await waitingFor([aside]);
    const links = await storage.run(({ issues }) =>
      issues.lockBlockerLinks(company.id, issue.id, [before.id, middle.id]),
    );
    expect(new Map([...links].map(([id, targets]) => [id, new Set(targets)]))).toEqual(
      new Map([
        [issue.id, new Set([aside.id])],
        [before.id, new Set([middle.id, end.id])],
        [middle.id, new Set([end.id])],
      ]),
    );
  });

  it("are unblocked by the last blocker that closes, once, even if two close at the same moment", async () => {
    for (let round = 0; round < 10; round++) {
      const one = await anIssue(storage, { companyId: company.id });
      const other = await anIssue(storage, { companyId: company.id });
      const issue = await waitingFor([one, other]);
      const close = (blocker: Issue) =>
        storage.run(({ issues }) =>
          Effect.gen(function* () {
            const found = yield* issues.lock(blocker.id);
            yield* issues.save({ ...found, status: "done" });
            return yield* issues.freedBy(blocker.id);
          }),
        );
      const freed = (await Promise.all([close(one), close(other)])).flat();
      expect(freed).toEqual([{ id: issue.id, assigneeAgentId: issue.assigneeAgentId }]);
    }
  });

  it("complete their parent when the last of them closes", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const parent = await anIssue(storage, { companyId: company.id, assigneeAgentId: agent.id });
    const children = [
      await anIssue(storage, { companyId: company.id, parentId: parent.id }),
      await anIssue(storage, { companyId: company.id, parentId: parent.id }),
    ];
    const close = (child: Issue) =>
      storage.run(({ issues }) =>
        Effect.andThen(issues.save({ ...child, status: "cancelled" }), issues.parentCompletedBy(child.id)),
      );
    const completed = await Promise.all(children.map(close));
    expect(completed.filter((found) => found !== null)).toEqual([
      { id: parent.id, assigneeAgentId: agent.id },
    ]);
    expect(await storage.run(({ issues }) => issues.parentCompletedBy(parent.id))).toBeNull();
  });

  it("are workable if they are assigned, in progress or todo, and unblocked; urgent ones first", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const mine = { companyId, assigneeAgentId: agent.id };
    const low = await anIssue(storage, { ...mine, priority: "low" });
    const fresh = await anIssue(storage, { ...mine, lastActivityAt: nouns.now });
    const urgent = await anIssue(storage, { ...mine, priority: "critical", status: "in_progress" });
    const waiting = await anIssue(storage, mine);
    await anIssue(storage, { ...mine, status: "backlog" });
    await anIssue(storage, { ...mine, status: "in_review" });
    await anIssue(storage, { companyId });
    await storage.run(({ issues }) => issues.replaceBlockers(companyId, waiting.id, [low.id]));
    const expected = [urgent, fresh, low].map(({ id }) => ({ id, assigneeAgentId: agent.id }));
    expect(await storage.run(({ issues }) => issues.actionable({ agentId: agent.id }, nouns.now))).toEqual(
      expected,
    );
    expect(await storage.run(({ issues }) => issues.actionable({ companyId }, nouns.now))).toEqual(expected);
  });

  it("are ready exactly as the core decides, in every status, assigned or not, blocked or not", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const blocker = await anIssue(storage, { companyId, status: "todo" });
    const ready: string[] = [];
    for (const status of issueStatuses)
      for (const assigneeAgentId of status === "in_progress" ? [agent.id] : [agent.id, null])
        for (const blockers of [[], [blocker.id]]) {
          const issue = await anIssue(storage, { companyId, status, assigneeAgentId });
          await storage.run(({ issues }) => issues.replaceBlockers(companyId, issue.id, blockers));
          if (isReady(issue, blockers)) ready.push(issue.id);
        }
    for (const of of [{ agentId: agent.id }, { companyId }]) {
      const found = await storage.run(({ issues }) => issues.actionable(of, nouns.now));
      expect(found.map(({ id }) => id).sort()).toEqual(ready.sort());
    }
    expect(ready).toHaveLength(2);
  });
});

describe("runs", () => {
  const aQueuedRun = async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const request = aWakeRequest({ agent });
    await storage.run(({ wakes }) => wakes.add(request));
    return { id: request.runId, agent };
  };

  it("number their events without a gap, however many writers exist", async () => {
    const { id } = await aQueuedRun();
    await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        storage.run(({ runs }) =>
          Effect.andThen(
            runs.lockLiveAmong([id]),
            runs.appendEvents([
              {
                companyId: company.id,
                runId: id,
                type: "lifecycle",
                level: "info",
                message: `event ${n}`,
                at: nouns.now,
              },
            ]),
          ),
        ),
      ),
    );
    const { items: events } = await Effect.runPromise(storage.views.runs.events(id, 0, { limit: 100 }));
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
    expect((await Effect.runPromise(storage.views.runs.events(id, 20, { limit: 3 }))).items).toHaveLength(3);
  });

  it("are active while they are queued or running", async () => {
    const { id } = await aQueuedRun();
    const isActive = () => storage.run(({ runs }) => runs.isActive(id));
    expect(await isActive()).toBe(true);
    await storage.run((stores) => stopRuns(unitAt(stores, nouns.now), { runId: id }, "cancelled"));
    expect(await isActive()).toBe(false);
    expect(await storage.run(({ runs }) => runs.isActive(newId()))).toBe(false);
    expect(await refusal(({ runs }) => runs.lock(newId()))).toBe("run_not_found");
  });

  it("cannot end while a transaction relies on their being active", async () => {
    const { id } = await aQueuedRun();
    let stopped = false;
    let stop: Promise<void> = Promise.resolve();
    await storage.run(({ runs }) =>
      Effect.gen(function* () {
        yield* runs.isActive(id);
        stop = storage
          .run((stores) => stopRuns(unitAt(stores, nouns.now), { runId: id }, "cancelled"))
          .then(() => {
            stopped = true;
          });
        yield* Effect.promise(() => waitingForLock(storage.sql, 1));
        expect(stopped).toBe(false);
      }),
    );
    await stop;
    expect(await storage.run(({ runs }) => runs.isActive(id))).toBe(false);
  });

  it("keep a session per agent, adapter and task", async () => {
    const { id, agent } = await aQueuedRun();
    const session = {
      companyId: company.id,
      agentId: agent.id,
      adapterType: "process",
      taskKey: "__heartbeat__",
      params: { session_id: "abc", deep: { er: 1 } },
      displayId: "abc",
      lastRunId: id,
      updatedAt: nouns.now,
    };
    const task = { agentId: agent.id, adapterType: "process", taskKey: "__heartbeat__" };
    const find = () => storage.run(({ runs }) => runs.sessions([task, { ...task, taskKey: "another" }]));
    expect(await find()).toEqual([]);
    await storage.run(({ runs }) => runs.saveSession(session));
    await storage.run(({ runs }) => runs.saveSession({ ...session, displayId: null, params: {} }));
    expect(await find()).toEqual([{ ...session, volume: "", displayId: null, params: {} }]);
    await storage.run(({ runs }) => runs.clearSession(agent.id, "process", "__heartbeat__"));
    expect(await find()).toEqual([]);
  });
});

describe("people", () => {
  const aUser = async (admin = false) => {
    const user = { id: newId<UserId>(), name: "Uma", admin, createdAt: nouns.now, disabledAt: null };
    await storage.run(({ access }) => access.insertUser(user));
    return user;
  };

  it("come back as they were stored", async () => {
    const user = await aUser(true);
    expect(await storage.run(({ access }) => access.lockUser(user.id))).toEqual(user);
    expect(await storage.run(({ access }) => access.lockAdmins())).toContain(user.id);
    await storage.run(({ access }) => access.saveUser({ ...user, disabledAt: nouns.now }));
    expect(await storage.run(({ access }) => access.lockAdmins())).not.toContain(user.id);
    expect(await refusal(({ access }) => access.lockUser(newId()))).toBe("user_not_found");
  });

  it("have credentials that only their owner or an admin revokes, once", async () => {
    const user = await aUser();
    const id = newId<TokenId>();
    await storage.run(({ access }) =>
      access.insertCredential({
        id,
        userId: user.id,
        kind: "token",
        name: "laptop",
        hash: Buffer.from(id.replaceAll("-", ""), "hex"),
        createdAt: nouns.now,
        expiresAt: null,
        endsAt: null,
      }),
    );
    const revoke = (owner: UserId | null) =>
      storage.run(({ access }) => access.revokeCredential(id, owner, nouns.now));
    expect(await revoke(newId<UserId>())).toBe(false);
    expect(await revoke(user.id)).toBe(true);
    expect(await revoke(null)).toBe(false);
  });

  it("have members with one role each, until they are removed", async () => {
    const user = await aUser();
    await storage.run(({ access }) => access.setRole(company.id, user.id, "viewer", nouns.now));
    await storage.run(({ access }) => access.setRole(company.id, user.id, "owner", nouns.now));
    const members = await Effect.runPromise(storage.views.access.members(company.id));
    expect(members).toContainEqual({ companyId: company.id, userId: user.id, name: "Uma", role: "owner" });
    expect(await storage.run(({ access }) => access.removeMember(company.id, user.id))).toBe(true);
    expect(await storage.run(({ access }) => access.removeMember(company.id, user.id))).toBe(false);
  });
});

describe("plans", () => {
  it("are read as they were stored: days stay days", async () => {
    const project = {
      id: newId<ProjectId>(),
      companyId: company.id,
      name: "Rocket",
      description: null,
      status: "planned" as const,
      leadAgentId: null,
      targetDate: "2026-12-31",
      budgetMonthlyCents: 500,
      heldByBudgetAt: null,
      archivedAt: null,
      createdAt: nouns.now,
      updatedAt: nouns.now,
    };
    await storage.run(({ projects }) => projects.insert(project));
    expect(await storage.run(({ projects }) => projects.lock(project.id))).toEqual(project);
    await storage.run(({ projects }) =>
      projects.save({ ...project, targetDate: null, archivedAt: nouns.now }),
    );
    expect(await Effect.runPromise(storage.views.planning.project(project.id, nouns.now))).toEqual({
      ...project,
      companyStatus: "active",
      spentMonthlyCents: 0,
      targetDate: null,
      archivedAt: nouns.now,
    });
    const listed = async (archived: boolean) =>
      (
        await Effect.runPromise(
          storage.views.planning.projects(company.id, archived, { limit: 10 }, nouns.now),
        )
      ).items;
    expect(await listed(false)).toEqual([]);
    expect(await listed(true)).toHaveLength(1);
    expect(await refusal(({ projects }) => projects.lock(newId()))).toBe("project_not_found");
  });

  it("lock the links of goals during a decision on one", async () => {
    const goal = (parentId: GoalId | null): Goal => ({
      id: newId<GoalId>(),
      companyId: company.id,
      title: "Win",
      description: null,
      level: "company",
      status: "active",
      parentId,
      ownerAgentId: null,
      archivedAt: null,
      createdAt: nouns.now,
      updatedAt: nouns.now,
    });
    const top = goal(null);
    const below = goal(top.id);
    await storage.run(({ goals }) => Effect.andThen(goals.insert(top), goals.insert(below)));
    expect(await storage.run(({ goals }) => goals.lock(below.id))).toEqual(below);
    expect(await storage.run(({ goals }) => goals.lockParents(company.id))).toEqual(
      new Map([
        [top.id, []],
        [below.id, [top.id]],
      ]),
    );
    await storage.run(({ goals }) => goals.save({ ...below, parentId: null, status: "achieved" }));
    const { items } = await Effect.runPromise(storage.views.planning.goals(company.id, false, { limit: 10 }));
    expect(items.map(({ id }) => id)).toEqual([below.id, top.id]);
    expect(await refusal(({ goals }) => goals.lock(newId()))).toBe("goal_not_found");
  });
});

describe("memory", () => {
  it("keeps every action with its actor, in order", async () => {
    const issueId = newId<IssueId>();
    const entry = (n: number) => ({
      companyId: company.id,
      by: n % 2 === 0 ? nouns.theBoard : nouns.byAgent(nouns.ada, nouns.firstRun),
      at: nouns.now,
      action: "issue.created" as const,
      entityId: issueId,
      details: { identifier: `X-${n}`, title: "t" },
    });
    await storage.run(({ activity }) => Effect.forEach([0, 1, 2], (n) => activity.append(entry(n))));
    const page = await Effect.runPromise(
      storage.views.activity.list({ companyId: company.id, entityId: issueId }, { limit: 10 }),
    );
    expect(page.items.map(({ details }) => details.identifier)).toEqual(["X-2", "X-1", "X-0"]);
    expect(page.items[1]).toMatchObject({
      actorType: "agent",
      actorId: nouns.ada,
      runId: nouns.firstRun,
      entityType: "issue",
    });
  });
});
