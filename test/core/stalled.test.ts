import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inboxScope } from "../../core/model/inbox/inbox-entry.ts";
import { judgeIdleIssue } from "../../core/model/issues/idle-issue.ts";
import { startedStatuses } from "../../core/model/issues/issue-status.ts";
import type { CompanyId, ProjectId, RunId } from "../../core/model/shared/ids.ts";
import { explainAgents } from "../../core/staff/agents/explain-agents.ts";
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
import { readyAdapters, readyRunners, whatNextOf, wideCaps } from "../support/explained-runs.ts";
import * as nouns from "../support/nouns.ts";

const at = new Date().toISOString();

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());

const booleans = [false, true];
const everyCase = startedStatuses.flatMap((status) =>
  booleans.flatMap((waitsForAnswer) =>
    booleans.flatMap((isBlocked) =>
      booleans.flatMap((isHeldByProjectBudget) =>
        booleans.flatMap((awaitsGates) =>
          booleans.flatMap((isPaused) =>
            (["ended", "live", "elsewhere"] as const).map((run) => ({
              facts: { status, waitsForAnswer, isBlocked, isHeldByProjectBudget, awaitsGates },
              isPaused,
              run,
            })),
          ),
        ),
      ),
    ),
  ),
);

/** Only an issue in progress without a lock awaits the verdict on its gates: a check on its row. */
const cases = everyCase.filter(
  ({ facts, run }) => !facts.awaitsGates || (facts.status === "in_progress" && run !== "elsewhere"),
);

const endedRun = async (agent: Awaited<ReturnType<typeof anAgent>>, issueId: never): Promise<RunId> => {
  const request = aWakeRequest({ agent, issueId, at });
  await storage.run(({ wakes }) => wakes.add(request));
  await storage.sql`update runs set status = 'succeeded', finished_at = ${at} where id = ${request.runId}`;
  await storage.sql`update wakes set status = 'started', ended_at = ${at} where id = ${request.id}`;
  return request.runId;
};

/** Stores an issue of an agent of its own, and the run that left it. */
const store = async (companyId: CompanyId, projectId: ProjectId, one: (typeof cases)[number]) => {
  const { facts, isPaused, run } = one;
  const agent = await anAgent(storage, { companyId });
  const issue = await anIssue(storage, { companyId, assigneeAgentId: agent.id, status: facts.status });
  const runId = await endedRun(agent, issue.id as never);
  if (facts.isBlocked) {
    const blocker = await anIssue(storage, { companyId, status: "todo" });
    await storage.run(({ issues }) => issues.replaceBlockers(companyId, issue.id, [blocker.id]));
  }
  if (facts.waitsForAnswer)
    await storage.sql`
      insert into interactions (id, company_id, issue_id, kind, status, continuation_policy, payload, ends_by_comment,
                                created_at, updated_at)
      values (${newId()}, ${companyId}, ${issue.id}, 'request_confirmation', 'pending', 'none', '{}', false, ${at}, ${at})
    `;
  if (run === "live")
    await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, issueId: issue.id, at })));
  if (run === "elsewhere" && facts.status === "in_progress") {
    const other = await anIssue(storage, { companyId, assigneeAgentId: agent.id, status: "backlog" });
    const request = aWakeRequest({ agent, issueId: other.id, at });
    await storage.run(({ wakes }) => wakes.add(request));
    await storage.sql`update issues set checkout_run_id = ${request.runId} where id = ${issue.id}`;
  }
  await storage.sql`
    update  issues
    set     project_id = ${facts.isHeldByProjectBudget ? projectId : null},
            awaits_gates_since = ${facts.awaitsGates ? at : null}
    where   id = ${issue.id}
  `;
  if (isPaused) await storage.sql`update agents set held_manually_at = ${at} where id = ${agent.id}`;
  return { ...one, agentId: agent.id, issueId: issue.id, runId };
};

it("Inbox, agent page and run page agree on whether an issue is stalled, in every combination", async () => {
  const { id: companyId } = await aCompany(storage);
  const { id: projectId } = await aProject(storage, { companyId });
  await storage.run(({ projects }) => projects.setBudgetHold(projectId, at));
  const stored = [];
  for (const one of cases) stored.push(await store(companyId, projectId, one));

  const scope = inboxScope(nouns.anAdmin, companyId, at);
  const entries = await Effect.runPromise(
    storage.views.inbox.list(scope, {}, { limit: 1_000, cursor: undefined }),
  );
  const inInbox = new Set(
    entries.items.filter(({ kind }) => kind === "stalled_issue").map(({ subjectId }) => subjectId),
  );
  const explain = explainAgents(storage.views, readyAdapters, readyRunners, wideCaps, { now: () => at });
  const reasonsOf = new Map(
    (await Effect.runPromise(explain({ companyId }))).map(({ id, situation }) => [id, situation.reasons]),
  );
  const answers = [];
  for (const { facts, isPaused, run, agentId, issueId, runId } of stored) {
    const works = run === "live" || (run === "elsewhere" && facts.status === "in_progress");
    const judged = judgeIdleIssue(facts);
    const isStalled = judged === "stalled" && !isPaused && !works;
    const whatNext = await whatNextOf(storage, runId, at);
    const onAgentPage = reasonsOf.get(agentId)!.map(({ code }) => code);
    const isOnRunPage = whatNext.includes("has stalled");
    const found = [inInbox.has(issueId), onAgentPage.includes("stalled"), isOnRunPage];
    if (found.some((each) => each !== isStalled))
      answers.push({ facts, isPaused, run, judged, found, whatNext });
    // The agent page says what the verdict says.
    if (!isPaused && !works) expect([facts, onAgentPage]).toEqual([facts, expect.arrayContaining([judged])]);
  }
  expect(answers).toEqual([]);
});
