import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunId, UserId } from "../../core/model/shared/ids.ts";
import { askPermission } from "../../core/runs/ask-permission.ts";
import { retryAfterDefect } from "../../core/runs/retry-after-defect.ts";
import { acceptInteraction } from "../../core/work/issues/interactions/accept-interaction.ts";
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

/** A run of an agent on an issue. */
const aRun = async () => {
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
  return run;
};
const making = (command: string) => ({
  title: command,
  payload: { tool: "Bash", command, path: null, diff: null, reason: null, repeatable: true },
});

it("A request that is allowed for its run is not asked again by another service that continues the run", async () => {
  const run = await aRun();
  const asking = () => askPermission(contextOf(storage.transactor));
  const ask = asking();
  const asked = await Effect.runPromise(ask({ run, request: making("make"), waitSec: 600 }));
  if (!("interactionId" in asked)) throw new Error("Nobody was asked.");
  const userId = newId<UserId>();
  await storage.sql`insert into board_users (id, name, created_at) values (${userId}, 'Board', now())`;
  const accept = acceptInteraction(contextOf(storage.transactor));
  await Effect.runPromise(accept({ ...asked, by: { kind: "board", userId }, always: "run" }));
  const continuing = asking();
  const again = (command: string) =>
    Effect.runPromise(continuing({ run, request: making(command), waitSec: 600 }));
  expect(await again("make")).toEqual({ allow: true });
  expect(await again("make clean")).toHaveProperty("interactionId");
});

it("A question makes one interaction when the answer to its commit was lost", async () => {
  const run = await aRun();
  const ask = askPermission(contextOf(losingOneAnswer(storage.transactor)));
  const asked = await Effect.runPromise(
    retryAfterDefect(ask({ run, request: making("make"), waitSec: 600 })),
  );
  const stored = await storage.sql<{ id: string }[]>`
    select id from interactions where source_run_id = ${run.id}`;
  expect(stored).toHaveLength(1);
  expect(asked).toEqual({ interactionId: stored[0]!.id, issueId: run.issueId });
});
