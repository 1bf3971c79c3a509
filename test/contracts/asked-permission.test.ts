import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunId } from "../../core/model/shared/ids.ts";
import { askPermission } from "../../core/runs/ask-permission.ts";
import { retryAfterDefect } from "../../core/runs/retry-after-defect.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { aCompany, anAgent, anIssue, newId, openTestStorage, type TestStorage } from "../support/builders.ts";
import { contextOf } from "../support/units.ts";

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage?.close());

/** Commits what it is given, and loses the first answer. */
const losingOneAnswer = (transactor: Transactor): Transactor => {
  let isLost = false;
  return {
    ...transactor,
    transact: (work) =>
      Effect.flatMap(transactor.transact(work), (answer) => {
        if (isLost) return Effect.succeed(answer);
        isLost = true;
        return Effect.die(new Error("the connection was lost after the commit"));
      }),
  };
};

it("A question makes one interaction when the answer to its commit was lost", async () => {
  const { id: companyId } = await aCompany(storage);
  const { id: agentId } = await anAgent(storage, { companyId });
  const { id: issueId } = await anIssue(storage, { companyId, assigneeAgentId: agentId });
  const run = { id: newId<RunId>(), companyId, agentId, issueId };
  await storage.sql`
    insert into runs (
      id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source, created_at, updated_at
    )
    values (
      ${run.id}, ${companyId}, ${agentId}, ${issueId}, 'acp', 'queued', 'manual', 'on_demand', now(), now()
    )`;
  const ask = askPermission(contextOf(losingOneAnswer(storage.transactor)));
  const payload = { tool: "Bash", command: "make", path: null, diff: null, reason: null };
  const asked = await Effect.runPromise(
    retryAfterDefect(ask({ run, request: { title: "make", payload }, waitSec: 600 })),
  );
  const stored = await storage.sql<{ id: string }[]>`
    select id from interactions where source_run_id = ${run.id}`;
  expect(stored).toHaveLength(1);
  expect(asked).toEqual({ interactionId: stored[0]!.id, issueId });
});
