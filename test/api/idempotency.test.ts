import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PathParam } from "../../hosts/api/endpoint/params.ts";
import { endpoints } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { oneOfEach } from "../support/one-of-each.ts";
import type { RawAnswer, RawRequest } from "../support/service.ts";

let api: ApiService;
let things: Readonly<Record<PathParam, string>>;
let companyId: string;
let agentId: string;
let issueId: string;

beforeAll(async () => {
  api = await startApi();
  things = await oneOfEach(api);
  ({ companyId, agentId, issueId } = things);
});
afterAll(() => api?.stop());

const under = (key: string, more: RawRequest = {}): RawRequest => ({
  ...more,
  headers: { "idempotency-key": key, ...more.headers },
});

/** For every endpoint that creates: a request, a different one, and the table of the result. */
const creations: Readonly<
  Record<string, { path: () => string; body: object; other: object; table: string; showsSecret?: true }>
> = {
  "companies.create": {
    path: () => "/api/companies",
    body: { name: "Once" },
    other: { name: "Twice" },
    table: "companies",
  },
  "agents.create": {
    path: () => `/api/companies/${companyId}/agents`,
    body: { name: "Only", adapterType: "process" },
    other: { name: "Other", adapterType: "process" },
    table: "agents",
  },
  "agents.invoke": {
    path: () => `/api/agents/${agentId}/heartbeat/invoke`,
    body: { message: "a" },
    other: { message: "b" },
    table: "wakes",
  },
  "agents.createKey": {
    path: () => `/api/agents/${agentId}/keys`,
    body: { name: "a" },
    other: { name: "b" },
    table: "agent_keys",
    showsSecret: true,
  },
  "issues.create": {
    path: () => `/api/companies/${companyId}/issues`,
    body: { title: "a" },
    other: { title: "b" },
    table: "issues",
  },
  "issues.comment": {
    path: () => `/api/issues/${issueId}/comments`,
    body: { body: "a" },
    other: { body: "b" },
    table: "comments",
  },
  "issues.commentOnLines": {
    path: () => `/api/issues/${issueId}/line-comments`,
    body: { comments: [{ body: "a" }] },
    other: { comments: [{ body: "b" }] },
    table: "comments",
  },
  "projects.create": {
    path: () => `/api/companies/${companyId}/projects`,
    body: { name: "a" },
    other: { name: "b" },
    table: "projects",
  },
  "goals.create": {
    path: () => `/api/companies/${companyId}/goals`,
    body: { title: "a" },
    other: { title: "b" },
    table: "goals",
  },
  "approvals.create": {
    path: () => `/api/companies/${companyId}/approvals`,
    body: { type: "approve_ceo_strategy", payload: { a: 1 } },
    other: { type: "approve_ceo_strategy", payload: { b: 1 } },
    table: "approvals",
  },
  "approvals.hire": {
    path: () => `/api/companies/${companyId}/agent-hires`,
    body: { name: "Hired" },
    other: { name: "Other hire" },
    table: "agents",
  },
  "approvals.comment": {
    path: () => `/api/approvals/${things.approvalId}/comments`,
    body: { body: "a" },
    other: { body: "b" },
    table: "approval_comments",
  },
  "grants.create": {
    path: () => `/api/companies/${companyId}/grants`,
    body: { agentId: "own", permission: "ownership:decide", classes: ["a"] },
    other: { agentId: "own", permission: "ownership:decide", classes: ["b"] },
    table: "grants",
  },
  "costs.report": {
    path: () => `/api/companies/${companyId}/cost-events`,
    body: { agentId: "own", provider: "p", model: "m", costCents: 1 },
    other: { agentId: "own", provider: "p", model: "m", costCents: 2 },
    table: "cost_events",
  },
  "interactions.create": {
    path: () => `/api/issues/${issueId}/interactions`,
    body: { kind: "request_confirmation", payload: { version: 1, prompt: "a" } },
    other: { kind: "request_confirmation", payload: { version: 1, prompt: "b" } },
    table: "interactions",
  },
  "labels.create": {
    path: () => `/api/companies/${companyId}/labels`,
    body: { name: "a" },
    other: { name: "b" },
    table: "labels",
  },
  "routines.create": {
    path: () => `/api/companies/${companyId}/routines`,
    body: { title: "a", assigneeAgentId: "own", projectId: "own" },
    other: { title: "b", assigneeAgentId: "own", projectId: "own" },
    table: "routines",
  },
  "routines.run": {
    path: () => `/api/routines/${things.routineId}/run`,
    body: { source: "api", payload: { a: 1 } },
    other: { source: "api", payload: { b: 1 } },
    table: "routine_runs",
  },
  "routines.addTrigger": {
    path: () => `/api/routines/${things.routineId}/triggers`,
    body: { kind: "webhook" },
    other: { kind: "api" },
    table: "routine_triggers",
    showsSecret: true,
  },
  "eventSubscriptions.create": {
    path: () => `/api/companies/${companyId}/event-subscriptions`,
    body: { url: "https://hooks.invalid/one", events: ["issue.*"] },
    other: { url: "https://hooks.invalid/other", events: ["issue.*"] },
    table: "event_subscriptions",
    showsSecret: true,
  },
  "secrets.create": {
    path: () => `/api/companies/${companyId}/secrets`,
    body: { name: "Once", value: "a value of some length" },
    other: { name: "Twice", value: "a value of some length" },
    table: "secrets",
  },
  "secrets.rotate": {
    path: () => `/api/secrets/${things.secretId}/rotate`,
    body: { value: "another value" },
    other: { value: "yet another value" },
    table: "secret_versions",
  },
  "vaults.create": {
    path: () => `/api/companies/${companyId}/secret-provider-configs`,
    body: { provider: "local_encrypted", displayName: "a" },
    other: { provider: "local_encrypted", displayName: "b" },
    table: "vaults",
  },
  "users.create": {
    path: () => "/api/board-users",
    body: { name: "a" },
    other: { name: "b" },
    table: "board_users",
  },
  "members.invite": {
    path: () => `/api/companies/${companyId}/members/invitations`,
    body: { name: "a", role: "viewer" },
    other: { name: "b", role: "viewer" },
    table: "board_users",
    showsSecret: true,
  },
  "tokens.create": {
    path: () => "/api/board-tokens",
    body: { name: "a" },
    other: { name: "b" },
    table: "board_tokens",
    showsSecret: true,
  },
};

/** Changes that happen once; other suites try `secrets.import` and `secrets.rotateMasterKey` with their providers. */
const changes: Readonly<
  Record<
    string,
    {
      path: () => Promise<string>;
      table: string;
      isShownOnce: boolean;
      isRedone?: true;
      isLostInCrash?: true;
    }
  >
> = {
  "agents.rollback": {
    path: async () => {
      const { id } = await api.agent(companyId);
      await api.patch(`/api/agents/${id}`, { title: "One" });
      await api.patch(`/api/agents/${id}`, { title: "Two" });
      const [, one] = (await api.get(`/api/agents/${id}/config-revisions`)).body;
      return `/api/agents/${id}/config-revisions/${one.id}/rollback`;
    },
    table: "agent_config_revisions",
    isShownOnce: false,
  },
  "documents.restore": {
    path: async () => {
      const at = `/api/issues/${issueId}/documents/notes-${randomUUID()}`;
      const { body } = await api.put(at, { body: "one" });
      await api.put(at, { body: "two", baseRevisionId: body.latestRevisionId });
      return `${at}/revisions/${body.latestRevisionId}/restore`;
    },
    table: "document_revisions",
    isShownOnce: false,
  },
  "runs.retry": {
    path: async () => {
      const { id: agentId } = await api.agent(companyId);
      const { id } = await api.make(`/api/agents/${agentId}/heartbeat/invoke`, {});
      await api.sql`update wakes set status = 'started', ended_at = now() where run_id = ${id}`;
      await api.sql`
        update  runs
        set     status = 'failed', started_at = now(), finished_at = now()
        where   id = ${id}
      `;
      return `/api/heartbeat-runs/${id}/retry`;
    },
    table: "wakes",
    isShownOnce: false,
  },
  "routines.restore": {
    path: async () => {
      const { routineId } = things;
      await api.patch(`/api/routines/${routineId}`, { title: randomUUID() });
      const [, before] = (await api.get(`/api/routines/${routineId}/revisions`)).body;
      return `/api/routines/${routineId}/revisions/${before.id}/restore`;
    },
    table: "routine_revisions",
    isShownOnce: false,
    // No record says what it changed, and it was carried out.
    isLostInCrash: true,
  },
  "eventSubscriptions.rotateSecret": {
    path: async () => `/api/event-subscriptions/${things.eventSubscriptionId}/rotate-secret`,
    table: "activity",
    isShownOnce: true,
    // The first secret was never shown, so a second one is useful.
    isRedone: true,
  },
  "routines.rotateSecret": {
    path: async () => `/api/routine-triggers/${things.triggerId}/rotate-secret`,
    table: "routine_revisions",
    isShownOnce: true,
    // The first secret was never shown, so a second one is useful.
    isRedone: true,
  },
};

const rowsOf = async (table: string): Promise<number> => {
  const [row] = await api.sql<{ count: number }[]>`select count(*)::int from ${api.sql(table)}`;
  return row!.count;
};

/** "own" means the entity of the field's name, which is known only after the setup. */
const filledIn = (body: object): object =>
  Object.fromEntries(
    Object.entries(body).map(([field, value]) => [
      field,
      value === "own" ? things[field === "assigneeAgentId" ? "agentId" : (field as PathParam)] : value,
    ]),
  );

const newIssue = (title: string, raw: RawRequest) =>
  api.post(`/api/companies/${companyId}/issues`, { title }, raw);

const issuesTitled = async (title: string): Promise<string[]> => {
  const { body } = await api.get(`/api/companies/${companyId}/issues?limit=1000`);
  return body.filter((issue: { title: string }) => issue.title === title).map(({ id }: { id: string }) => id);
};

/** Removes the stored answers, as if the server had died before it stored the end of the one request in progress. */
const forgetTheAnswers = () => api.sql`
  update  idempotency_keys
  set     status = null, lease_until = now() - interval '1 minute'
`;

describe("A request with an Idempotency-Key", () => {
  it("is possible for everything that is created", () => {
    const creating = endpoints
      // Uploads are identified by their bytes, which `files.test.ts` sends. Adapter installs are stored in a file:
      // `installed-adapters.test.ts`.
      .filter(({ name }) => name !== "adapters.install")
      .filter(
        ({ endpoint }) => endpoint.creates !== null && !Object.hasOwn(endpoint.body?.shape ?? {}, "file"),
      )
      .map(({ name }) => name);
    expect(creating.sort()).toEqual(
      [
        ...Object.keys(creations),
        ...Object.keys(changes),
        "companies.importTemplate",
        // An authenticator makes it: `passkeys.test.ts`.
        "passkeys.create",
        // Its host is asked: `repositories.test.ts`.
        "repositories.create",
        // The server is tested: `mcp-servers.test.ts`.
        "mcpServers.create",
        // A gate and changes are needed: `line-comments.test.ts`.
        "issues.review",
        // A live run is needed: `journeys/run-messages.test.ts`.
        "runs.say",
        "secrets.import",
        "secrets.rotateMasterKey",
      ].sort(),
    );
  });

  describe.each(Object.entries(creations))("%s", (_, { path, body, other, table, showsSecret }) => {
    const key = randomUUID();
    let first: RawAnswer;

    it("is executed once", async () => {
      const before = await rowsOf(table);
      first = await api.post(path(), filledIn(body), under(key));
      expect(first.status).toBeLessThan(300);
      const again = await api.post(path(), filledIn(body), under(key));
      expect(await rowsOf(table)).toBe(before + 1);
      if (showsSecret) {
        expect([again.status, again.body.code]).toEqual([409, "idempotency_result_not_repeatable"]);
        expect(again.body.details).toEqual({ id: first.body.id });
      } else expect([again.status, again.body]).toEqual([first.status, first.body]);
    });

    it("is refused if another request has the key", async () => {
      const before = await rowsOf(table);
      const answer = await api.post(path(), filledIn(other), under(key));
      expect([answer.status, answer.body.code]).toEqual([409, "idempotency_key_reused"]);
      expect(await rowsOf(table)).toBe(before);
    });

    it("is not repeated if the server died between creating the thing and reporting it", async () => {
      const before = await rowsOf(table);
      await forgetTheAnswers();
      for (const _ of [1, 2]) {
        const again = await api.post(path(), filledIn(body), under(key));
        if (showsSecret) {
          expect(again.body.code).toBe("idempotency_result_not_repeatable");
          expect(again.body.details).toEqual({ id: first.body.id });
        } else expect([again.status, again.body]).toEqual([first.status, first.body]);
      }
      expect(await rowsOf(table)).toBe(before);
    });
  });

  describe.each(Object.entries(changes))("%s", (_, change) => {
    const { path, table, isShownOnce, isRedone, isLostInCrash } = change;
    it("is carried out once", async () => {
      const at = await path();
      const key = randomUUID();
      const first = await api.post(at, {}, under(key));
      expect(first.status).toBe(first.body.wakeId === undefined ? 200 : 202);
      const before = await rowsOf(table);
      const again = await api.post(at, {}, under(key));
      if (isShownOnce)
        expect([again.status, again.body.code]).toEqual([409, "idempotency_result_not_repeatable"]);
      else expect([again.status, again.body]).toEqual([first.status, first.body]);
      expect(await rowsOf(table)).toBe(before);
      await forgetTheAnswers();
      const afterCrash = await api.post(at, {}, under(key));
      expect(afterCrash.status).toBe(isLostInCrash || (isShownOnce && !isRedone) ? 409 : first.status);
      expect(await rowsOf(table)).toBe(isRedone ? before + 1 : before);
    });
  });

  it("is the same request in any order and spacing of its fields", async () => {
    const key = randomUUID();
    const path = `/api/companies/${companyId}/issues`;
    const one = await api.request("POST", path, under(key, { text: '{"title":"Spaced","priority":"high"}' }));
    const two = await api.request(
      "POST",
      path,
      under(key, { text: '{ "priority" : "high",\n"title":" Spaced " }' }),
    );
    expect([two.status, two.body.id]).toEqual([201, one.body.id]);
  });

  it("is answered with the current state of the thing", async () => {
    const key = randomUUID();
    const { body } = await newIssue("Before", under(key));
    await api.patch(`/api/issues/${body.id}`, { title: "After" });
    const again = await newIssue("Before", under(key));
    expect([again.status, again.body.id, again.body.title]).toEqual([201, body.id, "After"]);
  });

  it("to restore a routine is answered as at first, whatever has changed since", async () => {
    const at = await changes["routines.restore"]!.path();
    const key = randomUUID();
    const first = await api.post(at, {}, under(key));
    await api.patch(`/api/routines/${things.routineId}`, { title: "Changed since" });
    const again = await api.post(at, {}, under(key));
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.body.routine.title).not.toBe("Changed since");
  });

  it("to restore a document is answered as at first, though it has another revision since", async () => {
    const at = await changes["documents.restore"]!.path();
    const key = randomUUID();
    const first = await api.post(at, {}, under(key));
    await api.put(at.replace(/\/revisions\/.*/, ""), {
      body: "Later",
      baseRevisionId: first.body.latestRevisionId,
    });
    const again = await api.post(at, {}, under(key));
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.body.body).not.toBe("Later");
  });

  it("is refused as in progress while it runs, and answered when it is done", async () => {
    const key = randomUUID();
    const lock = await api.sql.reserve();
    await lock`begin`;
    await lock`select from companies where id = ${companyId} for update`;
    const first = newIssue("Slow", under(key));
    await eventually(
      () => api.sql`select from idempotency_keys where status is null and lease_until > now()`,
      ({ length }) => length === 1,
    );
    const second = await newIssue("Slow", under(key));
    const other = await newIssue("Quick", under(key));
    await lock`commit`;
    lock.release();
    expect([second.status, second.body.code]).toEqual([409, "idempotency_in_progress"]);
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
    const made = await first;
    expect(made.status).toBe(201);
    expect((await newIssue("Slow", under(key))).body.id).toBe(made.body.id);
    expect(await issuesTitled("Slow")).toEqual([made.body.id]);
  });

  it("is executed once, however many equal ones arrive at once", async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => newIssue("Crowd", under(key))));
    const made = await issuesTitled("Crowd");
    expect(made).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 201) expect(answer.body.id).toBe(made[0]);
      else expect(answer.body.code).toBe("idempotency_in_progress");
  });

  const named = {
    "interactions.create": "idempotencyKey",
    "costs.report": "eventId",
    "routines.run": "idempotencyKey",
  };

  it.each(Object.entries(named))(
    "is answered again with what %s had made before under a name of its own",
    async (endpoint, field) => {
      const { path, body: request } = creations[endpoint]!;
      const body = filledIn({ ...request, [field]: randomUUID() });
      const older = await api.post(path(), body);
      const key = randomUUID();
      const first = await api.post(path(), body, under(key));
      const again = await api.post(path(), body, under(key));
      await forgetTheAnswers();
      const afterCrash = await api.post(path(), body, under(key));
      for (const answer of [first, again, afterCrash])
        expect([answer.status, answer.body.id]).toEqual([older.status, older.body.id]);
    },
  );

  it("shares its key with no other caller, endpoint or path", async () => {
    const key = randomUUID();
    const title = "Shared";
    const [a, b] = [await api.user(companyId, "operator"), await api.user(companyId, "operator")];
    const { token } = await api.make(`/api/agents/${agentId}/keys`);
    const elsewhere = await api.company();
    const answers = [
      await newIssue(title, under(key, { token: a.token })),
      await newIssue(title, under(key, { token: b.token })),
      await newIssue(title, under(key, { token })),
      await newIssue(title, under(key)),
      await api.post(`/api/companies/${elsewhere.id}/issues`, { title }, under(key)),
      await api.post(`/api/companies/${companyId}/goals`, { title }, under(key)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(6);
  });

  it("is recognised for each credential of its caller", async () => {
    const key = randomUUID();
    const user = await api.user(companyId, "operator");
    const { token } = await api.make("/api/board-tokens", { name: "second", userId: user.id });
    const first = await newIssue("Two tokens", under(key, { token: user.token }));
    expect((await newIssue("Two tokens", under(key, { token }))).body.id).toBe(first.body.id);
  });

  it("is not repeated for a caller that would now be refused", async () => {
    const key = randomUUID();
    const user = await api.user(companyId, "operator");
    const raw = under(key, { token: user.token });
    expect((await newIssue("Mine", raw)).status).toBe(201);
    await api.put(`/api/companies/${companyId}/members/${user.id}`, { role: "viewer" });
    expect((await newIssue("Mine", raw)).status).toBe(403);
    await api.delete(`/api/companies/${companyId}/members/${user.id}`);
    expect((await newIssue("Mine", raw)).status).toBe(403);
    await api.patch(`/api/board-users/${user.id}`, { disabled: true });
    expect((await newIssue("Mine", raw)).status).toBe(401);
  });

  it("frees its key if it is refused", async () => {
    const key = randomUUID();
    const path = `/api/companies/${companyId}/issues`;
    for (const body of [
      { title: "" },
      { title: "Freed", parentId: randomUUID() },
      { title: "Freed", status: "in_progress" },
    ])
      expect((await api.post(path, body, under(key))).status).toBeGreaterThanOrEqual(400);
    expect((await api.post(path, { title: "Freed" }, under(key))).status).toBe(201);
  });

  it("is executed, under the chosen id, if the server died before it created anything", async () => {
    const key = randomUUID();
    const { body } = await newIssue("Lost", under(key));
    await api.sql`delete from issue_watchers where issue_id = ${body.id}`;
    await api.sql`delete from issues where id = ${body.id}`;
    await forgetTheAnswers();
    const again = await newIssue("Lost", under(key));
    expect([again.status, again.body.id]).toEqual([201, body.id]);
    expect(await issuesTitled("Lost")).toEqual([body.id]);
  });

  it("is stored for 24 hours", async () => {
    const key = randomUUID();
    const first = await newIssue("Daily", under(key));
    const [row] = await api.sql<{ hours: number }[]>`
      select  round(extract(epoch from max(expires_at) - now()) / 3600)::int as hours
      from    idempotency_keys
    `;
    expect(row!.hours).toBe(24);
    await api.sql`update idempotency_keys set expires_at = now() - interval '1 second'`;
    const later = await newIssue("Daily", under(key));
    expect(later.status).toBe(201);
    expect(later.body.id).not.toBe(first.body.id);
    expect((await newIssue("Another day", under(key))).body.code).toBe("idempotency_key_reused");
  });

  it("has a key of 1 to 255 characters", async () => {
    expect((await newIssue("Key", under("k".repeat(255)))).status).toBe(201);
    for (const key of ["k".repeat(256), ""]) {
      const answer = await newIssue("Key", under(key));
      expect([answer.status, answer.body.code]).toEqual([400, "validation_error"]);
    }
  });

  it("stores neither credentials nor the request", async () => {
    const words = "words that nobody keeps";
    const key = await api.make(`/api/agents/${agentId}/keys`, { name: words }, under(randomUUID()));
    const token = await api.make("/api/board-tokens", { name: "t" }, under(randomUUID()));
    const tables = await api.sql<{ name: string }[]>`
      select  table_name as name
      from    information_schema.tables
      where   table_schema = 'public' and table_type = 'BASE TABLE'
    `;
    for (const { name } of tables) {
      const rows = await api.sql<{ row: string }[]>`select t::text as row from ${api.sql(name)} t`;
      const all = rows.map(({ row }) => row).join("\n");
      expect(all).not.toContain(key.token);
      expect(all).not.toContain(token.token);
      if (name === "idempotency_keys") expect(all).not.toContain(words);
    }
  });
});
