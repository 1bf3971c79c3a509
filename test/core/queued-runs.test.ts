import * as Effect from "effect/Effect";
import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeQueuedRun } from "../../core/model/agents/judge-queued-run.ts";
import type { ReasonCode } from "../../core/model/agents/situation-reasons.ts";
import type { Caps } from "../../core/model/runs/gate.ts";
import type { IssueId, RunId, ServiceId } from "../../core/model/shared/ids.ts";
import { addSeconds } from "../../core/model/shared/instant.ts";
import { serviceFacts } from "../../core/queue/service-facts.ts";
import {
  aCompany,
  anAgent,
  anIssue,
  aWakeRequest,
  newId,
  openTestStorage,
  type TestStorage,
} from "../support/builders.ts";
import { readyAdapters, readyRunners, whatNextOf, wideCaps } from "../support/explained-runs.ts";
import { localClaims } from "../support/workspaces.ts";

const at = new Date().toISOString();
const full: Caps = { ...wideCaps, company: 0 };
const runners = { ...readyRunners, usual: "local" };

let storage: TestStorage;
beforeAll(async () => {
  storage = await openTestStorage();
});
afterAll(() => storage.close());

const obstacles = ["restored", "quarantined", "account", "undo", "former", "away"] as const;
type Obstacle = (typeof obstacles)[number];
const combinations = Array.from({ length: 2 ** obstacles.length }, (_, bits) =>
  obstacles.filter((_, n) => (bits >> n) % 2 === 1),
);

/** A queued run of an agent on its issue, with these obstacles to its start. */
const queuedWith = async (found: readonly Obstacle[]) => {
  const { id: companyId } = await aCompany(storage);
  const agent = await anAgent(storage, { companyId });
  const issue = await anIssue(storage, { companyId, assigneeAgentId: agent.id });
  const request = aWakeRequest({ agent, issueId: issue.id, at });
  await storage.run(({ wakes }) => wakes.add(request));
  const make: Readonly<Record<Obstacle, () => Promise<unknown>>> = {
    restored: () =>
      Promise.resolve(storage.sql`
      insert into instance_settings (name, value) values ('restored', jsonb_build_object('id', 'x', 'heldSince', ${at}::text))
    `),
    quarantined: () => storage.run(({ runs }) => runs.quarantine(request.runId, "loop", at)),
    account: () =>
      storage.run(({ runs }) =>
        runs.holdAccount({
          agentId: agent.id,
          adapterType: "process",
          notBefore: addSeconds(at, 600),
          runId: newId<RunId>(),
          at,
        }),
      ),
    undo: () =>
      Promise.resolve(
        storage.sql`update runs set not_before = ${addSeconds(at, 10)} where id = ${request.runId}`,
      ),
    async former() {
      const former = await anAgent(storage, { companyId });
      const of = aWakeRequest({ agent: former, issueId: issue.id, at });
      await storage.run(({ wakes }) => wakes.add(of));
      await storage.sql`
        update runs set status = 'running', started_at = ${at}, stop_requested_at = ${at}, stop_reason = 'issue_reassigned'
        where  id = ${of.runId}
      `;
      await storage.sql`update wakes set status = 'started', ended_at = ${at} where run_id = ${of.runId}`;
    },
    async away() {
      await storage.sql`
        insert into volumes (id, host, seen_at, abandoned_at)
        values (${agent.id}, 'quarry', now(), now() + interval '1 hour')
      `;
      await storage.sql`update agents set volume = ${agent.id}, volume_since = ${at} where id = ${agent.id}`;
    },
  };
  for (const one of found) await make[one]();
  return { companyId, agent, issueId: issue.id as IssueId, runId: request.runId };
};

/** The verdict of the core, by the facts of the view. */
const judge = async ({ agent, runId }: Awaited<ReturnType<typeof queuedWith>>, caps: Caps) => {
  const [facts] = await Effect.runPromise(storage.views.agents.situations({ agentId: agent.id }, at));
  const run = facts!.runs.find(({ id }) => id === runId)!;
  return judgeQueuedRun(run, facts!, serviceFacts(readyAdapters, runners, caps)(facts!, at), at);
};

const strongestOf: Readonly<Record<Obstacle, ReasonCode>> = {
  restored: "restored",
  quarantined: "run_held",
  away: "unavailable",
  account: "account_limit",
  undo: "undo_window",
  former: "former_assignee",
};

it("The verdict on a queued run, run page, pulse, metrics and claims agree, in every combination", async () => {
  const different = [];
  for (const found of combinations) {
    const queued = await queuedWith(found);
    const strongest = (Object.keys(strongestOf) as Obstacle[]).find((one) => found.includes(one));
    const open = await judge(queued, wideCaps);
    const closed = await judge(queued, full);
    expect([found, open.code]).toEqual([
      found,
      strongest === undefined ? "starting" : strongestOf[strongest],
    ]);
    // A slot is the last that it waits for.
    expect([found, closed.code]).toEqual([found, strongest === undefined ? "no_slot" : open.code]);
    for (const [caps, { sentence }] of [
      [wideCaps, open],
      [full, closed],
    ] as const)
      expect(await whatNextOf(storage, queued.runId, at, caps)).toBe(sentence);

    const pulse = await Effect.runPromise(storage.views.runs.pulse(queued.companyId, at));
    const { oldestStartableWakeAt } = await Effect.runPromise(storage.views.operations.now(at));
    const { candidates } = await storage.run(({ runs }) =>
      runs.lockCandidates({
        ...localClaims,
        runners: ["local"],
        serviceId: newId<ServiceId>(),
        adapterTypes: ["process"],
        limit: 100,
        caps: wideCaps,
        at,
      }),
    );
    const mayStart = strongest === undefined;
    const answers = {
      pulse: pulse.queued.count === 1,
      metrics: oldestStartableWakeAt !== null,
      claims: candidates.some(({ run }) => run.id === queued.runId),
    };
    if (Object.values(answers).some((each) => each !== mayStart)) different.push({ found, answers });
    await storage.sql`delete from instance_settings where name = 'restored'`;
    await storage.sql`delete from account_holds`;
    await storage.sql`update wakes set status = 'cancelled', ended_at = ${at} where status = 'pending'`;
    await storage.sql`update runs set status = 'cancelled', finished_at = ${at} where finished_at is null`;
  }
  expect(different).toEqual([]);
});
