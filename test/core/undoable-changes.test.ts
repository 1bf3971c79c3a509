import * as Effect from "effect/Effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunId, ServiceId } from "../../core/model/shared/ids.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";
import { claimRuns } from "../../core/runs/claim-runs.ts";
import { finishRun } from "../../core/runs/finish-run.ts";
import { type UpdateIssue, updateIssue } from "../../core/work/issues/update-issue.ts";
import { updateIssues } from "../../core/work/issues/update-issues.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import * as nouns from "../support/nouns.ts";
import { contextOf } from "../support/units.ts";
import { localClaims } from "../support/workspaces.ts";

const at = new Date().toISOString();
const undoableSec = 12;
const within = addSeconds(at, 11);
const after = addSeconds(at, 13);

let storage: TestStorage;
let adapterType = "";
let tests = 0;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());
/** Each test has an adapter of its own, so that it claims no run of another. */
beforeEach(() => {
  adapterType = `undoable_${++tests}`;
});

const claimAt = async (now: string) =>
  (
    await Effect.runPromise(
      claimRuns(contextOf(storage.transactor, { now: () => now }))({
        serviceId: newId<ServiceId>(),
        adapterTypes: [adapterType],
        ...localClaims,
        limit: 20,
        caps: { instance: 1_000, company: 1_000, adapterType: 1_000 },
      }),
    )
  ).claimed;

const change = (command: Omit<UpdateIssue, "by">, now = at) =>
  Effect.runPromise(
    updateIssue(contextOf(storage.transactor, { now: () => now }))({ ...command, by: nouns.theBoard }),
  );

const anIdleIssue = async () => {
  const { id: companyId } = await aCompany(storage);
  const agent = await anAgent(storage, { companyId, adapterType });
  const issue = await anIssue(storage, { companyId, status: "todo" });
  return { companyId, agent, issue };
};

const runsOf = (agentId: string) => storage.sql<{ id: RunId; status: string; stopReason: string | null }[]>`
  select id, status, stop_reason from runs where agent_id = ${agentId} order by created_at, id
`;

describe("A change that can be undone", () => {
  it("starts the agent that it wakes when it can no longer be undone", async () => {
    const { agent, issue } = await anIdleIssue();
    await change({ issueId: issue.id, assigneeAgentId: agent.id, undoableSec });
    expect(await claimAt(at)).toEqual([]);
    expect(await claimAt(within)).toEqual([]);
    expect(await claimAt(after)).toMatchObject([{ agent: { id: agent.id }, issue: { id: issue.id } }]);
  });

  it("of several issues starts none of their agents before", async () => {
    const { companyId, agent, issue } = await anIdleIssue();
    const other = await anIssue(storage, { companyId, status: "todo" });
    await Effect.runPromise(
      updateIssues(contextOf(storage.transactor, { now: () => at }))({
        companyId,
        issueIds: [issue.id, other.id],
        assigneeAgentId: agent.id,
        undoableSec,
        by: nouns.theBoard,
      }),
    );
    expect(await claimAt(within)).toEqual([]);
    expect(await claimAt(after)).toHaveLength(2);
  });

  it("has caused no run once it is undone", async () => {
    const { agent, issue } = await anIdleIssue();
    await change({ issueId: issue.id, assigneeAgentId: agent.id, undoableSec });
    await change({ issueId: issue.id, assigneeAgentId: null }, within);
    expect(await claimAt(after)).toEqual([]);
    expect(await runsOf(agent.id)).toMatchObject([{ status: "cancelled", stopReason: "issue_reassigned" }]);
  });

  it("without a time to undo it starts the agent at once", async () => {
    const { agent, issue } = await anIdleIssue();
    await change({ issueId: issue.id, assigneeAgentId: agent.id });
    expect(await claimAt(at)).toHaveLength(1);
  });

  it("delays no run that another cause starts at once, whichever comes first", async () => {
    for (const isFirst of [true, false]) {
      const { agent, issue } = await anIdleIssue();
      const other = () =>
        storage.run(({ wakes }) =>
          wakes.add(aWakeRequest({ agent, issueId: issue.id, reason: "issue_comment_mentioned", at })),
        );
      if (!isFirst) await other();
      await change({ issueId: issue.id, assigneeAgentId: agent.id, undoableSec });
      if (isFirst) await other();
      expect(await claimAt(at)).toHaveLength(1);
      expect(await runsOf(agent.id)).toMatchObject([{ status: "running" }]);
    }
  });

  it("that follows another one delays the run until neither can be undone", async () => {
    const { agent, issue } = await anIdleIssue();
    await change({ issueId: issue.id, assigneeAgentId: agent.id, undoableSec });
    await change({ issueId: issue.id, status: "backlog", undoableSec }, within);
    await change({ issueId: issue.id, status: "todo", undoableSec }, within);
    expect(await claimAt(after)).toEqual([]);
    expect(await claimAt(addSeconds(within, 13))).toHaveLength(1);
  });

  it("delays the next run also where one is running that ends meanwhile", async () => {
    const { agent, issue } = await anIdleIssue();
    await storage.run(({ wakes }) =>
      wakes.add(aWakeRequest({ agent, issueId: issue.id, reason: "issue_comment_mentioned", at })),
    );
    const [first] = await claimAt(at);
    await change({ issueId: issue.id, assigneeAgentId: agent.id, undoableSec });
    await Effect.runPromise(
      finishRun(contextOf(storage.transactor, { now: () => within }))({
        run: first!.run,
        outcome: nouns.anOutcome(),
        lastOutput: null,
      }),
    );
    expect(await runsOf(agent.id)).toMatchObject([{ status: "succeeded" }, { status: "queued" }]);
    expect(await claimAt(within)).toEqual([]);
    expect(await claimAt(after)).toHaveLength(1);
  });
});
