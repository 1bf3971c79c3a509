import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { outcomeOf } from "../support/service.ts";

let api: ApiService;
let companyId: string;
let list: string;

beforeAll(async () => {
  api = await startApi();
  companyId = (await api.company()).id;
  list = `/api/companies/${companyId}/agents`;
});
afterAll(() => api?.stop());

const at = (id: string, tail = "") => `/api/agents/${id}${tail}`;
const patch = (id: string, body: object) => api.patch(at(id), body);

describe("A new agent", () => {
  it("has the requested fields, and defaults for the rest", async () => {
    const answer = await api.post(list, { name: "Ada", adapterType: "process" });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      companyId,
      name: "Ada",
      urlKey: "ada",
      role: "general",
      title: null,
      reportsTo: null,
      capabilities: null,
      adapterConfig: {},
      runtimeConfig: {},
      budgetMonthlyCents: 0,
      spentMonthlyCents: 0,
      metadata: null,
      status: "idle",
      pauseReason: null,
      chainOfCommand: [],
    });
    // With what it does and did.
    expect((await api.get(at(answer.body.id))).body).toMatchObject(answer.body);
  });

  it("needs a loaded adapter; the refusal lists those", async () => {
    const answer = await api.post(list, { name: "x", adapterType: "telepathy" });
    expect(outcomeOf(answer)).toBe("422 adapter_unknown");
    expect(answer.body.details.loaded).toContain("process");
  });

  it("has a name that no active agent has, compared as urlKey", async () => {
    const first = await api.agent(companyId, { name: "Grace Hopper" });
    for (const name of ["Grace Hopper", "grace hopper", "GRACE-HOPPER"])
      expect(outcomeOf(await api.post(list, { name, adapterType: "process" }))).toBe("409 agent_name_taken");
    const elsewhere = await api.agent((await api.company()).id, { name: "Grace Hopper" });
    expect(elsewhere.urlKey).toBe(first.urlKey);
    await api.make(at(first.id, "/terminate"));
    expect((await api.agent(companyId, { name: "Grace Hopper" })).urlKey).toBe(first.urlKey);
  });

  it("has a unique name even if two are created at once", async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => api.post(list, { name: "Twin", adapterType: "process" })),
    );
    expect(answers.map(outcomeOf).sort()).toEqual(["201", "409 agent_name_taken", "409 agent_name_taken"]);
  });
});

describe("An agent", () => {
  it("is found by id or urlKey: a board user names the company, an agent needs not", async () => {
    const name = `Key ${randomUUID().slice(0, 8)}`;
    const { id, urlKey } = await api.agent(companyId, { name });
    const { token } = await api.make(at(id, "/keys"));
    const elsewhere = (await api.company()).id;
    expect((await api.get(at(urlKey, `?companyId=${companyId}`))).body.id).toBe(id);
    expect((await api.get(at(urlKey.toUpperCase(), `?companyId=${companyId}`))).body.id).toBe(id);
    expect((await api.get(at(urlKey), { token })).body.id).toBe(id);
    expect(outcomeOf(await api.get(at(urlKey)))).toBe("404 agent_not_found");
    expect(outcomeOf(await api.get(at(urlKey, `?companyId=${elsewhere}`)))).toBe("404 agent_not_found");
    // By its id, too: an agent of another company is 404.
    expect(outcomeOf(await api.get(at(id, `?companyId=${elsewhere}`)))).toBe("404 agent_not_found");
    expect(outcomeOf(await api.get(at(id, `?companyId=${elsewhere}`), { token }))).toBe(
      "404 agent_not_found",
    );
    for (const path of [at(id, "?companyId=nope"), at(urlKey, "?companyId=nope")])
      expect(outcomeOf(await api.get(path))).toBe("400 validation_error");
    for (const verb of ["pause", "resume", "terminate", "heartbeat/invoke"])
      expect(outcomeOf(await api.post(at(urlKey, `/${verb}?companyId=nope`)))).toBe("400 validation_error");
    const renamed = await api.request("PATCH", at(urlKey, `?companyId=${companyId}`), {
      body: { title: "T" },
    });
    expect(renamed.body.title).toBe("T");
  });

  it("gets its own record", async () => {
    const manager = await api.agent(companyId, { role: "ceo" });
    const { id } = await api.agent(companyId, { reportsTo: manager.id });
    const { as } = await api.atWork(id);
    const { body } = await api.get("/api/agents/me", as);
    expect(body.id).toBe(id);
    expect(body.chainOfCommand).toEqual([{ id: manager.id, name: manager.name, role: "ceo", title: null }]);
  });

  it("is in the list, after the active ones when it is terminated", async () => {
    const { id } = await api.company();
    const [a, b] = [await api.agent(id, { name: "b" }), await api.agent(id, { name: "A" })];
    const names = async () =>
      (await api.get(`/api/companies/${id}/agents`)).body.map((agent: { name: string }) => agent.name);
    expect(await names()).toEqual(["A", "b"]);
    await api.make(at(b.id, "/terminate"));
    expect(await names()).toEqual(["b", "A"]);
    expect((await api.get(at(b.id))).body.status).toBe("terminated");
    expect((await api.get(at(a.id))).body.status).toBe("idle");
  });
});

describe("A change of an agent's configuration", () => {
  it("merges adapterConfig and runtimeConfig deeply; null deletes, lists are replaced", async () => {
    const adapterConfig = { command: "a", args: ["x"], timeoutSec: 5, nested: { a: 1, b: 2 } };
    const { id } = await api.agent(companyId, { adapterConfig });
    const { body } = await patch(id, { adapterConfig: { command: "b", args: null, nested: { c: 3 } } });
    expect(body.adapterConfig).toEqual({ command: "b", timeoutSec: 5, nested: { a: 1, b: 2, c: 3 } });
    await patch(id, { adapterConfig: { env: { MODE: "careful", LEVEL: "high" }, nested: { a: null } } });
    const one = await patch(id, { adapterConfig: { env: { LEVEL: null, NEW: "value" } } });
    expect(Object.keys(one.body.adapterConfig.env).sort()).toEqual(["MODE", "NEW"]);
    const cleared = await patch(id, { adapterConfig: { env: null } });
    expect(cleared.body.adapterConfig).toEqual({ command: "b", timeoutSec: 5, nested: { b: 2, c: 3 } });

    await patch(id, { runtimeConfig: { heartbeat: { enabled: true, intervalSec: 600 } } });
    const faster = await patch(id, {
      runtimeConfig: { heartbeat: { intervalSec: 60, wakeOnDemand: false } },
    });
    expect(faster.body.runtimeConfig).toEqual({
      heartbeat: { enabled: true, intervalSec: 60, wakeOnDemand: false },
    });
    const usual = await patch(id, { runtimeConfig: { heartbeat: { wakeOnDemand: null } } });
    expect(usual.body.runtimeConfig).toEqual({ heartbeat: { enabled: true, intervalSec: 60 } });
    expect((await patch(id, { runtimeConfig: { heartbeat: null } })).body.runtimeConfig).toEqual({});

    await patch(id, { runtimeConfig: { maxCostCents: 250 } });
    const both = await patch(id, { runtimeConfig: { heartbeat: { onlyWithWork: true } } });
    expect(both.body.runtimeConfig).toEqual({ maxCostCents: 250, heartbeat: { onlyWithWork: true } });
    const none = await patch(id, {
      runtimeConfig: { maxCostCents: null, heartbeat: { onlyWithWork: null } },
    });
    expect(none.body.runtimeConfig).toEqual({ heartbeat: {} });
    for (const maxCostCents of [0, -1, 1.5, "many"])
      expect((await patch(id, { runtimeConfig: { maxCostCents } })).status).toBe(400);
    const { body: capped } = await api.post(`/api/companies/${companyId}/agents`, {
      name: "Capped",
      adapterType: "process",
      adapterConfig: { command: "a" },
      runtimeConfig: { maxCostCents: 1, heartbeat: { onlyWithWork: true } },
    });
    expect(capped.runtimeConfig).toEqual({ maxCostCents: 1, heartbeat: { onlyWithWork: true } });
  });

  it("shows plain values of variables as what they are; a mask keeps the stored value, null deletes it", async () => {
    const env = { A: "value-of-a", B: { type: "plain", value: "value-of-b" } };
    const made = await api.agent(companyId, { adapterConfig: { command: "c", env } });
    expect(made.adapterConfig.env).toEqual(env);
    const patched = await patch(made.id, {
      adapterConfig: { env: { ...made.adapterConfig.env, C: "value-of-c" } },
    });
    expect(Object.keys(patched.body.adapterConfig.env)).toEqual(["A", "B", "C"]);
    const stored = async () => {
      const [row] = await api.sql`select adapter_config as config from agents where id = ${made.id}`;
      return row!.config.env;
    };
    expect(await stored()).toEqual({ ...env, C: "value-of-c" });
    await patch(made.id, { adapterConfig: { env: { A: "••••", B: null, C: null } } });
    expect(await stored()).toEqual({ A: "value-of-a" });
    const unknown = await patch(made.id, { adapterConfig: { env: { NEW: "••••" } } });
    expect(outcomeOf(unknown)).toBe("422 mask_without_value");
    for (const path of ["", "/config-revisions"])
      expect(JSON.stringify((await api.get(at(made.id, path))).body)).toContain("value-of-a");
  });

  it("makes a revision, newest first; an empty change makes none", async () => {
    const { id } = await api.agent(companyId, { title: "one" });
    await patch(id, { title: "two", budgetMonthlyCents: 5 });
    await patch(id, { title: "two" });
    const revisions = (await api.get(at(id, "/config-revisions"))).body;
    expect(revisions.map(({ source }: { source: string }) => source)).toEqual(["patch", "create"]);
    expect([...revisions[0].changedKeys].sort()).toEqual(["budgetMonthlyCents", "title"]);
    expect(revisions[0].beforeConfig.title).toBe("one");
    expect(revisions[0].afterConfig.title).toBe("two");
    expect(revisions[1].beforeConfig).toBeNull();
    expect(revisions[0].createdByUserId).not.toBeNull();
  });

  it("can be rolled back, which is a revision too and restores the values", async () => {
    const { id } = await api.agent(companyId, { adapterConfig: { command: "a", env: { K: "first-value" } } });
    const later = { title: "later", budgetMonthlyCents: 700 };
    await patch(id, { adapterConfig: { command: "b", env: { K: "second-value" } }, ...later });
    const [, first] = (await api.get(at(id, "/config-revisions"))).body;
    const { body } = await api.post(at(id, `/config-revisions/${first.id}/rollback`));
    expect(body).toMatchObject({ title: null, adapterConfig: { command: "a", env: { K: "first-value" } } });
    // The budget is not a part of the configuration.
    expect(body.budgetMonthlyCents).toBe(700);
    const [row] = await api.sql`select adapter_config as config from agents where id = ${id}`;
    expect(row!.config.env.K).toBe("first-value");
    const [latest, ...rest] = (await api.get(at(id, "/config-revisions"))).body;
    expect(latest).toMatchObject({ source: "rollback", rolledBackFromRevisionId: first.id });
    expect(rest).toHaveLength(2);
  });

  it("to a name in use is 409, and the old name becomes free", async () => {
    const [a, b] = [
      await api.agent(companyId, { name: "Name A" }),
      await api.agent(companyId, { name: "Name B" }),
    ];
    expect(outcomeOf(await patch(b.id, { name: "name a" }))).toBe("409 agent_name_taken");
    expect((await patch(a.id, { name: "Name C" })).body.urlKey).toBe("name-c");
    expect((await patch(b.id, { name: "name a" })).body.urlKey).toBe("name-a");
  });

  it("never puts an agent below itself", async () => {
    const a = await api.agent(companyId);
    const b = await api.agent(companyId, { reportsTo: a.id });
    const c = await api.agent(companyId, { reportsTo: b.id });
    for (const reportsTo of [a.id, b.id, c.id])
      expect(outcomeOf(await patch(a.id, { reportsTo }))).toBe("422 would_form_a_cycle");
    const [x, y] = [await api.agent(companyId), await api.agent(companyId)];
    const both = await Promise.all([patch(x.id, { reportsTo: y.id }), patch(y.id, { reportsTo: x.id })]);
    expect(both.map(outcomeOf).sort()).toEqual(["200", "422 would_form_a_cycle"]);
  });

  it("leaves a terminated agent unchanged", async () => {
    const { id } = await api.agent(companyId);
    await api.make(at(id, "/terminate"));
    expect(outcomeOf(await patch(id, { title: "T" }))).toBe("409 agent_terminated");
  });
});

describe("The chain of command", () => {
  it("is a tree whose roots have no active manager", async () => {
    const { id } = await api.company();
    const ceo = await api.agent(id, { name: "Ceo", role: "ceo" });
    const cto = await api.agent(id, { name: "Cto", reportsTo: ceo.id });
    const dev = await api.agent(id, { name: "Dev", reportsTo: cto.id });
    await api.agent(id, { name: "Loner" });
    const names = (nodes: { name: string; reports: [] }[]): unknown =>
      Object.fromEntries(nodes.map(({ name, reports }) => [name, names(reports)]));
    const org = async () => names((await api.get(`/api/companies/${id}/org`)).body);
    expect(await org()).toEqual({ Ceo: { Cto: { Dev: {} } }, Loner: {} });
    expect((await api.get(at(dev.id))).body.chainOfCommand).toMatchObject([{ name: "Cto" }, { name: "Ceo" }]);
    await api.make(at(cto.id, "/terminate"));
    expect(await org()).toEqual({ Ceo: {}, Dev: {}, Loner: {} });
  });
});

const statusOf = async (id: string) => {
  const { status, pauseReason } = (await api.get(at(id))).body;
  return `${status} ${pauseReason}`;
};

describe("Pausing", () => {
  it("cancels waiting wakes, and nothing starts until it is lifted", async () => {
    const { id } = await api.agent(companyId);
    const run = await api.make(at(id, "/heartbeat/invoke"));
    expect((await api.post(at(id, "/pause"))).body.status).toBe("paused");
    expect((await api.get(`/api/heartbeat-runs/${run.id}`)).body).toMatchObject({
      status: "cancelled",
      errorCode: "agent_paused",
    });
    const refused = await api.post(at(id, "/heartbeat/invoke"));
    expect(outcomeOf(refused)).toBe("409 agent_paused");
    expect(refused.body.details).toEqual({ reason: "agent_paused" });
    expect(await statusOf(id)).toBe("paused manual");
    expect(outcomeOf(await api.post(at(id, "/pause")))).toBe("200");
    expect((await api.post(at(id, "/resume"))).body.status).toBe("idle");
    expect(outcomeOf(await api.post(at(id, "/heartbeat/invoke")))).toBe("202");
  });

  it("lifted, wakes the agent once for each workable issue", async () => {
    const { id } = await api.agent(companyId);
    await api.make(at(id, "/pause"));
    const open = await api.issue(companyId, { assigneeAgentId: id });
    const closed = await api.issue(companyId, { assigneeAgentId: id, status: "done" });
    const runsOf = async (issue: { id: string }) => (await api.get(`/api/issues/${issue.id}/runs`)).body;
    expect(await runsOf(open)).toEqual([]);
    await api.make(at(id, "/resume"));
    expect(await runsOf(open)).toMatchObject([{ agentId: id, wakeReason: "agent_resumed" }]);
    expect(await runsOf(closed)).toEqual([]);
  });

  describe("a message to a paused agent", () => {
    const anIssueOf = (agentId: string, fields: object = {}) =>
      api.issue(companyId, { assigneeAgentId: agentId, ...fields });
    const comment = (issueId: string, body: string) => api.make(`/api/issues/${issueId}/comments`, { body });
    const patch = async (issueId: string, fields: object) =>
      expect(outcomeOf(await api.patch(`/api/issues/${issueId}`, fields))).toBe("200");
    /** A paused agent with the issue that the wakes are about. */
    interface Paused {
      readonly id: string;
      readonly name: string;
      readonly inReview: string;
      readonly waiting: string;
      readonly blocker: string;
      readonly others: string;
      readonly interaction: string;
    }
    const paused = async (): Promise<Paused> => {
      const name = `Ada${crypto.randomUUID().slice(0, 8)}`;
      const { id } = await api.agent(companyId, { name });
      const { as } = await api.atWork(id);
      const blocker = (await api.issue(companyId, { status: "todo" })).id;
      const inReview = (await anIssueOf(id, { status: "in_review" })).id;
      const interaction = await api.make(
        `/api/issues/${inReview}/interactions`,
        {
          kind: "request_confirmation",
          continuationPolicy: "wake_assignee",
          payload: { version: 1, prompt: "?" },
        },
        as,
      );
      const waiting = (await anIssueOf(id, { status: "blocked", blockedByIssueIds: [blocker] })).id;
      const others = (await api.issue(companyId, { status: "backlog" })).id;
      await api.make(at(id, "/pause"));
      return { id, name, inReview, waiting, blocker, others, interaction: interaction.id };
    };

    it.each<[what: string, reason: string, happens: (of: Paused) => Promise<string>]>([
      [
        "the answer to its interaction",
        "issue_card_accepted",
        async ({ inReview, interaction }) => {
          await api.make(`/api/issues/${inReview}/interactions/${interaction}/accept`);
          return inReview;
        },
      ],
      [
        "a comment on an issue of its own that waits for others",
        "issue_commented",
        async ({ inReview }) => {
          await comment(inReview, "Have a look.");
          return inReview;
        },
      ],
      [
        "its name, on an issue of somebody else",
        "issue_comment_mentioned",
        async ({ others, name }) => {
          await comment(others, `@${name} what do you think?`);
          return others;
        },
      ],
      [
        "that what its issue waited for is done",
        "issue_blockers_resolved",
        async ({ waiting, blocker }) => {
          await patch(blocker, { status: "done" });
          return waiting;
        },
      ],
    ])("%s reaches it on resume", async (_, reason, happens) => {
      const of = await paused();
      const issueId = await happens(of);
      const runsOf = async () =>
        (await api.get(`/api/companies/${companyId}/heartbeat-runs?agentId=${of.id}&status=queued`)).body;
      expect(await runsOf()).toEqual([]);
      await api.make(at(of.id, "/resume"));
      expect(await runsOf()).toMatchObject([{ issueId, wakeReason: reason }]);
    });

    it.each<[what: string, happens: (of: Paused) => Promise<unknown>]>([
      ["what was assigned and closed", async ({ id }) => patch((await anIssueOf(id)).id, { status: "done" })],
      [
        "what was assigned and put off",
        async ({ id }) => patch((await anIssueOf(id)).id, { status: "backlog" }),
      ],
      [
        "what was assigned and taken away",
        async ({ id }) => patch((await anIssueOf(id)).id, { assigneeAgentId: null }),
      ],
      [
        "the answer to its interaction on an issue that is another's by now",
        async ({ inReview, interaction }) => {
          await api.make(`/api/issues/${inReview}/interactions/${interaction}/accept`);
          await patch(inReview, { assigneeAgentId: null });
        },
      ],
    ])("%s does not", async (_, happens) => {
      const of = await paused();
      await happens(of);
      await api.make(at(of.id, "/resume"));
      expect(
        (await api.get(`/api/companies/${companyId}/heartbeat-runs?agentId=${of.id}&status=queued`)).body,
      ).toEqual([]);
    });
  });

  it("a company's hold is independent of its agents' own pauses", async () => {
    const company = await api.company();
    const { id } = await api.agent(company.id);
    await api.make(`/api/companies/${company.id}/pause`);
    expect(await statusOf(id)).toBe("paused company");
    await api.make(at(id, "/pause"));
    expect(await statusOf(id)).toBe("paused manual");
    await api.make(`/api/companies/${company.id}/resume`);
    expect(await statusOf(id)).toBe("paused manual");
    await api.make(at(id, "/resume"));
    expect(await statusOf(id)).toBe("idle null");
  });
});

describe("Terminating", () => {
  it("is final, and a repetition changes nothing", async () => {
    const { id } = await api.agent(companyId);
    const { token } = await api.make(at(id, "/keys"));
    for (const _ of [1, 2]) expect((await api.post(at(id, "/terminate"))).body.status).toBe("terminated");
    expect((await api.get("/api/agents/me", { token })).status).toBe(401);
    for (const verb of ["/pause", "/resume", "/keys"])
      expect([verb, outcomeOf(await api.post(at(id, verb)))]).toEqual([verb, "409 agent_terminated"]);
    expect(outcomeOf(await api.post(at(id, "/heartbeat/invoke")))).toBe("409 agent_terminated");
  });
});

describe("A manual wake", () => {
  it("is 202 with the run that waits; a second one joins it", async () => {
    const { id } = await api.agent(companyId);
    const first = await api.post(at(id, "/heartbeat/invoke"), { message: "Look" });
    expect(first.status).toBe(202);
    expect(first.body).toMatchObject({ status: "queued", agentId: id, issueId: null });
    const second = (await api.post(at(id, "/heartbeat/invoke"))).body;
    expect(second.id).toBe(first.body.id);
    expect(second.wakeId).not.toBe(first.body.wakeId);
    const run = (await api.get(`/api/heartbeat-runs/${first.body.id}`)).body;
    expect(run).toMatchObject({ status: "queued", wakeReason: "manual", invocationSource: "on_demand" });
    expect(run.wakes).toHaveLength(2);
  });

  it("for an issue is a run of that issue", async () => {
    const { id } = await api.agent(companyId);
    const issue = await api.issue(companyId);
    const run = await api.make(at(id, "/heartbeat/invoke"), { issueId: issue.id });
    expect(run.issueId).toBe(issue.id);
    const [listed] = (await api.get(`/api/issues/${issue.id}/runs`)).body;
    expect(listed).toMatchObject({ id: run.id, issueIdentifier: issue.identifier });
  });

  it("is 409 if the agent does not allow wakes on demand", async () => {
    const { id } = await api.agent(companyId, { runtimeConfig: { heartbeat: { wakeOnDemand: false } } });
    const answer = await api.post(at(id, "/heartbeat/invoke"));
    expect([outcomeOf(answer), answer.body.details]).toEqual([
      "409 wake_on_demand_disabled",
      { reason: "wake_on_demand_disabled" },
    ]);
  });
});

describe("A key", () => {
  it("is shown once, listed without its text, and revoked", async () => {
    const { id } = await api.agent(companyId);
    const made = await api.make(at(id, "/keys"), { name: "laptop" });
    expect(made.token).toMatch(/^agt_[0-9a-f]{48}$/);
    expect((await api.post(at(id, "/keys"))).body.name).toBe("default");
    const keys = (await api.get(at(id, "/keys"))).body;
    expect(keys).toHaveLength(2);
    expect(JSON.stringify(keys)).not.toContain(made.token.slice(4));
    expect((await api.delete(at(id, `/keys/${made.id}`))).body).toEqual({ ok: true });
    expect(outcomeOf(await api.delete(at(id, `/keys/${randomUUID()}`)))).toBe("404 agent_key_not_found");
    const revoked = (await api.get(at(id, "/keys"))).body.find((key: { id: string }) => key.id === made.id);
    expect(revoked.revokedAt).not.toBeNull();
  });
});
