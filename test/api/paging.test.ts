import fc from "fast-check";
import { v7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PathParam } from "../../hosts/api/endpoint/params.ts";
import { endpoints } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { fileForm } from "../support/file-form.ts";
import { aTree, oneOfEach } from "../support/one-of-each.ts";

type Things = Readonly<Record<PathParam, string>>;

let api: ApiService;
let things: Things;
let foreign: Things;

beforeAll(async () => {
  api = await startApi();
  things = await oneOfEach(api);
  foreign = await oneOfEach(api);
});
afterAll(() => api?.stop());

/** A list with pages. */
interface Paged {
  /** Its path with a query, if it needs one. */
  readonly path: (of: Things) => string;
  /** Adds one row to it. */
  readonly add: (of: Things) => Promise<unknown>;
  /** Further parameters, which make another list. */
  readonly filters?: (of: Things) => readonly string[];
  /** The field that identifies a row. Default: its id. */
  readonly key?: string;
}

const insert = (table: string, row: Readonly<Record<string, unknown>>) =>
  api.sql`insert into ${api.sql(table)} ${api.sql(row as Record<string, string>)}`;
const now = () => new Date().toISOString();

const addRun = async ({ companyId, agentId, issueId }: Things): Promise<void> => {
  await insert("runs", {
    id: v7(),
    company_id: companyId,
    agent_id: agentId,
    issue_id: issueId,
    adapter_type: "process",
    status: "succeeded",
    wake_reason: "issue_assigned",
    invocation_source: "assignment",
    created_at: now(),
    updated_at: now(),
  });
};
const addActivity = ({ companyId, issueId }: Things) =>
  insert("activity", {
    id: v7(),
    company_id: companyId,
    actor_kind: "system",
    action: "issue.updated",
    entity_type: "issue",
    entity_id: issueId,
    details: {},
    created_at: now(),
  });
const addApproval = ({ companyId, issueId }: Things) =>
  api.make(`/api/companies/${companyId}/approvals`, {
    type: "approve_ceo_strategy",
    payload: {},
    issueIds: [issueId],
  });
const addIssue = ({ companyId }: Things) => api.issue(companyId);
let serial = 1_000;

const lists: Readonly<Record<string, Paged>> = {
  "issues.list": {
    path: ({ companyId }) => `/api/companies/${companyId}/issues?sort=created`,
    add: addIssue,
    filters: ({ projectId, goalId, issueId, labelId, agentId }) => [
      "status=todo",
      `assigneeAgentId=${agentId}`,
      "assigneeAgentId=null",
      "assigneeUserId=me",
      "createdByUserId=me",
      `createdByAgentId=${agentId}`,
      `projectId=${projectId}`,
      `goalId=${goalId}`,
      `parentId=${issueId}`,
      `labelIds=${labelId}`,
      "q=issue",
    ],
  },
  "inbox.list": { path: () => "/api/inbox", add: addApproval },
  "inbox.ofCompany": { path: ({ companyId }) => `/api/companies/${companyId}/inbox`, add: addApproval },
  "issues.search": {
    path: ({ companyId }) => `/api/companies/${companyId}/issues/search?q=issue`,
    add: addIssue,
  },
  "issues.comments": {
    path: ({ issueId }) => `/api/issues/${issueId}/comments`,
    add: ({ issueId }) => api.make(`/api/issues/${issueId}/comments`, { body: "text" }),
    filters: () => ["order=asc"],
  },
  "issues.commentRevisions": {
    path: ({ issueId, commentId }) => `/api/issues/${issueId}/comments/${commentId}/revisions`,
    add: ({ issueId, commentId }) =>
      api.patch(`/api/issues/${issueId}/comments/${commentId}`, { body: `text ${++serial}` }),
  },
  "issues.lineComments": {
    path: ({ issueId }) => `/api/issues/${issueId}/line-comments`,
    add: async ({ issueId }) => {
      const comment = await api.make(`/api/issues/${issueId}/comments`, { body: "text" });
      const location = { repositoryId: v7(), path: "a", side: "new", startLine: 1, endLine: 1 };
      await api.sql`
        update  comments
        set     location = ${api.sql.json({ ...location, commit: "a".repeat(40), lines: ["a"] })}
        where   id = ${comment.id}
      `;
    },
  },
  "interactions.list": {
    path: ({ issueId }) => `/api/issues/${issueId}/interactions`,
    add: ({ issueId }) =>
      api.make(`/api/issues/${issueId}/interactions`, {
        kind: "request_confirmation",
        payload: { version: 1, prompt: "Go on?" },
      }),
    filters: () => ["status=pending"],
  },
  "projects.list": {
    path: ({ companyId }) => `/api/companies/${companyId}/projects`,
    add: ({ companyId }) => api.make(`/api/companies/${companyId}/projects`, { name: "P" }),
    filters: () => ["archived=true"],
  },
  "goals.list": {
    path: ({ companyId }) => `/api/companies/${companyId}/goals`,
    add: ({ companyId }) => api.make(`/api/companies/${companyId}/goals`, { title: "G" }),
    filters: () => ["archived=true"],
  },
  "documents.list": {
    path: ({ issueId }) => `/api/issues/${issueId}/documents`,
    // The row is now before a cursor, now after it.
    add: ({ issueId }) =>
      api.put(`/api/issues/${issueId}/documents/${(++serial * 7919) % 10_007}-note`, { body: "text" }),
  },
  "documents.revisions": {
    path: ({ issueId, key }) => `/api/issues/${issueId}/documents/${key}/revisions`,
    add: async ({ issueId, key }) => {
      const path = `/api/issues/${issueId}/documents/${key}`;
      const { latestRevisionId } = (await api.get(path)).body;
      await api.put(path, { body: `text ${++serial}`, baseRevisionId: latestRevisionId });
    },
  },
  "attachments.list": {
    path: ({ issueId }) => `/api/issues/${issueId}/attachments`,
    add: ({ companyId, issueId }) =>
      api.make(`/api/companies/${companyId}/issues/${issueId}/attachments`, fileForm("text")),
  },
  "companies.houseRulesRevisions": {
    path: ({ companyId }) => `/api/companies/${companyId}/house-rules/revisions`,
    add: async ({ companyId }) => {
      const path = `/api/companies/${companyId}/house-rules`;
      const { revisionNumber: baseRevisionNumber } = (await api.get(path)).body;
      await api.put(path, { body: `text ${++serial}`, baseRevisionNumber });
    },
    key: "revisionNumber",
  },
  "workspaces.commands": {
    path: ({ workspaceId }) => `/api/workspaces/${workspaceId}/commands`,
    add: ({ companyId, workspaceId, repositoryId }) =>
      insert("workspace_commands", {
        id: v7(),
        company_id: companyId,
        workspace_id: workspaceId,
        repository_id: repositoryId,
        kind: "setup",
        command: "npm ci",
        exit_code: 0,
        output: "",
        duration_ms: 1,
        ended_at: now(),
      }),
  },
  "workspaces.list": {
    path: ({ companyId }) => `/api/companies/${companyId}/workspaces`,
    add: ({ companyId, issueId }) => aTree(api, companyId, issueId),
    filters: ({ issueId }) => [`issueId=${issueId}`],
  },
  "runs.list": {
    path: ({ companyId }) => `/api/companies/${companyId}/heartbeat-runs`,
    add: addRun,
    filters: ({ agentId, issueId }) => [
      `agentId=${agentId}`,
      `issueId=${issueId}`,
      "status=succeeded,failed",
    ],
  },
  "runs.ofIssue": { path: ({ issueId }) => `/api/issues/${issueId}/runs`, add: addRun },
  "runs.messages": {
    path: ({ runId }) => `/api/heartbeat-runs/${runId}/messages`,
    add: ({ companyId, runId, agentId }) =>
      insert("run_messages", {
        id: v7(),
        company_id: companyId,
        run_id: runId,
        agent_id: agentId,
        body: "Look here.",
        state: "new_run",
        created_at: now(),
      }),
  },
  "runs.events": {
    path: ({ runId }) => `/api/heartbeat-runs/${runId}/events`,
    add: ({ companyId, runId }) =>
      insert("run_events", {
        company_id: companyId,
        run_id: runId,
        seq: ++serial,
        type: "x",
        created_at: now(),
      }),
    filters: () => ["afterSeq=1"],
    key: "seq",
  },
  "routines.runs": {
    path: ({ routineId }) => `/api/routines/${routineId}/runs`,
    add: ({ companyId, routineId }) =>
      insert("routine_runs", {
        id: v7(),
        company_id: companyId,
        routine_id: routineId,
        source: "manual",
        status: "failed",
        triggered_at: now(),
        routine_revision_id: v7(),
        created_at: now(),
      }),
  },
  "routines.revisions": {
    path: ({ routineId }) => `/api/routines/${routineId}/revisions`,
    add: ({ companyId, routineId }) => api.sql`
      insert into routine_revisions (
        id, company_id, routine_id, revision_number, change_summary, snapshot, created_at
      )
      select  ${v7()}, ${companyId}, ${routineId}, ${++serial}, 'x', snapshot, now()
      from    routine_revisions
      where   routine_id = ${routineId}
      limit   1
    `,
  },
  "activity.list": {
    path: ({ companyId }) => `/api/companies/${companyId}/activity`,
    add: addActivity,
    filters: ({ issueId, userId }) => [
      "entityType=issue",
      `entityId=${issueId}`,
      `actorId=${userId}`,
      "from=2020-01-01",
    ],
  },
  "activity.ofIssue": { path: ({ issueId }) => `/api/issues/${issueId}/activity`, add: addActivity },
  "approvals.list": {
    path: ({ companyId }) => `/api/companies/${companyId}/approvals`,
    add: addApproval,
    filters: () => ["status=pending"],
  },
  "approvals.ofIssue": { path: ({ issueId }) => `/api/issues/${issueId}/approvals`, add: addApproval },
  "approvals.comments": {
    path: ({ approvalId }) => `/api/approvals/${approvalId}/comments`,
    add: ({ approvalId }) => api.make(`/api/approvals/${approvalId}/comments`, { body: "text" }),
  },
  "secrets.accessEvents": {
    path: ({ secretId }) => `/api/secrets/${secretId}/access-events`,
    add: ({ companyId, secretId, agentId, runId }) =>
      insert("secret_access_events", {
        id: v7(),
        company_id: companyId,
        secret_id: secretId,
        provider: "local_encrypted",
        agent_id: agentId,
        config_path: "env.A",
        run_id: runId,
        outcome: "success",
        created_at: now(),
      }),
  },
  "secrets.versions": {
    path: ({ secretId }) => `/api/secrets/${secretId}/versions`,
    add: ({ companyId, secretId }) => api.sql`
      insert into secret_versions (id, company_id, secret_id, version, sealed, created_at)
      values (${v7()}, ${companyId}, ${secretId}, ${++serial}, '', now())
    `,
    key: "version",
  },
  "costs.events": {
    path: ({ companyId }) => `/api/companies/${companyId}/cost-events?from=2026-03-01&to=2026-04-01`,
    // About half of the events are reported late.
    add: ({ companyId, agentId }) =>
      api.make(`/api/companies/${companyId}/cost-events`, {
        agentId,
        provider: "p",
        model: "m",
        costCents: 1,
        occurredAt: `2026-03-${10 + (serial++ % 17)}`,
      }),
    filters: ({ agentId }) => [`agentId=${agentId}`],
  },
  "eventSubscriptions.deliveries": {
    path: ({ eventSubscriptionId }) => `/api/event-subscriptions/${eventSubscriptionId}/deliveries`,
    add: ({ companyId, eventSubscriptionId, issueId }) =>
      insert("event_deliveries", {
        id: v7(),
        company_id: companyId,
        subscription_id: eventSubscriptionId,
        event_id: v7(),
        type: "issue.updated",
        subject_type: "issue",
        subject_id: issueId,
        actor_type: "system",
        details: {},
        occurred_at: now(),
        state: "delivered",
        is_head: false,
        created_at: now(),
      }),
    filters: () => ["state=delivered"],
  },
  "agents.configRevisions": {
    path: ({ agentId }) => `/api/agents/${agentId}/config-revisions`,
    add: ({ companyId, agentId }) => api.sql`
      insert into agent_config_revisions (
        id, company_id, agent_id, source, changed_keys, before_config, after_config, created_at
      )
      select  ${v7()}, company_id, agent_id, 'patch', changed_keys, after_config, after_config, now()
      from    agent_config_revisions
      where   company_id = ${companyId}
      and     agent_id = ${agentId}
      limit   1
    `,
  },
};

const names = Object.keys(lists);

const withQuery = (path: string, query: string): string => `${path}${path.includes("?") ? "&" : "?"}${query}`;

const rows = async (path: string, key: string): Promise<{ ids: string[]; next: string | null }> => {
  const { status, body, headers } = await api.get(path);
  if (status !== 200) throw new Error(`GET ${path} → ${status} ${JSON.stringify(body)}`);
  return {
    ids: body.map((row: Record<string, unknown>) => String(row[key])),
    next: headers.get("x-next-cursor"),
  };
};

/** Reads all pages, with the given sizes in turn; `between` runs between two pages. */
const walk = async (
  path: string,
  key: string,
  sizes: readonly number[],
  between: (page: number) => Promise<unknown>,
): Promise<string[]> => {
  const seen: string[] = [];
  let cursor: string | null = null;
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const query = `limit=${sizes[page % sizes.length]}${cursor === null ? "" : `&cursor=${cursor}`}`;
    const { ids, next } = await rows(withQuery(path, query), key);
    seen.push(...ids);
    cursor = next;
    await between(page);
  }
  return seen;
};

const twice = (ids: readonly string[]): string[] => ids.filter((id, at) => ids.indexOf(id) !== at);

/** Page sizes, and the number of rows added after each of the first pages. */
const walks = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
  arrivals: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 }),
});

describe("Lists in pages", () => {
  it("are all tested here", () => {
    const paged = endpoints.filter(({ endpoint }) => endpoint.media === "page").map(({ name }) => name);
    expect([...names].sort()).toEqual(paged.sort());
  });

  it.each(names)("%s shows each initial row once, while rows are added", async (name) => {
    const { path, add, key = "id" } = lists[name]!;
    for (let n = 0; n < 8; n++) await add(things);
    await fc.assert(
      fc.asyncProperty(walks, async ({ sizes, arrivals }) => {
        const before = (await rows(withQuery(path(things), "limit=200"), key)).ids;
        const seen = await walk(path(things), key, sizes, async (page) => {
          for (let n = 0; n < (arrivals[page] ?? 0); n++) await add(things);
        });
        expect(twice(seen)).toEqual([]);
        expect(before.filter((id) => !seen.includes(id))).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });

  it.each(["sort=created", "sort=priority", "sort=priority&status=backlog,todo"])(
    "issues by %s appear once, while others are created and changed",
    async (query) => {
      const { id: companyId } = await api.company();
      const path = `/api/companies/${companyId}/issues?${query}`;
      const priorities = ["critical", "high", "medium", "low"];
      for (let n = 0; n < 12; n++) await api.issue(companyId, { priority: priorities[n % 4] });
      const changes = fc.array(
        fc.record({ which: fc.nat(), how: fc.constantFrom("comment", "title", "raise", "make") }),
        { maxLength: 6 },
      );
      await fc.assert(
        fc.asyncProperty(walks, changes, async ({ sizes }, changes) => {
          const before = (await rows(`${path}&limit=500`, "id")).ids;
          const changed = new Set<string>();
          const seen = await walk(path, "id", sizes, async (page) => {
            const change = changes[page];
            if (change === undefined) return;
            const id = before[change.which % before.length]!;
            if (change.how === "make") return api.issue(companyId, { priority: "medium" });
            if (query !== "sort=created") changed.add(id);
            if (change.how === "comment") return api.make(`/api/issues/${id}/comments`, { body: "text" });
            return api.patch(
              `/api/issues/${id}`,
              change.how === "title" ? { title: "New" } : { priority: "critical" },
            );
          });
          expect(twice(seen)).toEqual([]);
          expect(before.filter((id) => !seen.includes(id) && !changed.has(id))).toEqual([]);
        }),
        { numRuns: 6 },
      );
    },
  );

  it.each(names)("%s accepts only its own cursor, for the same thing and the same filters", async (name) => {
    const { path, add, filters, key = "id" } = lists[name]!;
    for (const of of [things, foreign]) for (let n = 0; n < 2; n++) await add(of);
    const { next: cursor } = await rows(withQuery(path(things), "limit=1"), key);
    expect(cursor).not.toBeNull();
    const other = (steps: number) =>
      lists[names[(names.indexOf(name) + steps) % names.length]!]!.path(things);
    const decoded = JSON.parse(Buffer.from(cursor!, "base64url").toString()) as unknown[];
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const refused = [
      ...[
        "",
        "x",
        "%00",
        `${cursor}x`,
        `${cursor}%3D`,
        encoded(decoded.slice(0, -1)),
        encoded([...decoded, 1]),
      ].map((wrong) => withQuery(path(things), `cursor=${wrong}`)),
      withQuery(path(things), `cursor=${encoded([decoded[0], ...decoded.slice(1).map(() => "' or 1 = 1")])}`),
      ...decoded
        .slice(1)
        .flatMap((_, at) =>
          [null, "findLast", "2026-02-30T00:00:00.000Z", "0000-01-01T00:00:00.000Z"].map((wrong) =>
            withQuery(path(things), `cursor=${encoded(decoded.with(at + 1, wrong))}`),
          ),
        ),
      ...(path(foreign) === path(things) ? [] : [withQuery(path(foreign), `cursor=${cursor}`)]),
      ...[1, 2, 5, 11].map((steps) => withQuery(other(steps), `cursor=${cursor}`)),
      ...(filters?.(things) ?? []).map((filter) => withQuery(path(things), `${filter}&cursor=${cursor}`)),
    ];
    for (const asked of refused) {
      const { status, body } = await api.get(asked);
      expect([status, body.code], asked).toEqual([400, "cursor_invalid"]);
      expect(body.details, asked).toMatchObject([{ path: ["cursor"] }]);
    }
    expect((await api.get(withQuery(path(things), `limit=7&cursor=${cursor}`))).status).toBe(200);
  });
});

describe("A page may reach its size in text before its size in rows", () => {
  const long = "x".repeat(512 * 1024);
  const pages = {
    "projects.list": ({ companyId }: Things) =>
      api.make(`/api/companies/${companyId}/projects`, { name: "P", description: long }),
    "goals.list": ({ companyId }: Things) =>
      api.make(`/api/companies/${companyId}/goals`, { title: "G", description: long }),
    "documents.list": ({ issueId }: Things) =>
      api.put(`/api/issues/${issueId}/documents/long-${++serial}`, { body: long }),
  };

  it.each(Object.entries(pages))("of %s, however many the request names", async (name, add) => {
    const path = lists[name]!.path(foreign);
    for (let n = 0; n < 18; n++) await add(foreign);
    const { body } = await api.get(path);
    expect(JSON.stringify(body).length).toBeLessThan(9 * 1024 * 1024);
    const seen = await walk(path, "id", [1000], async () => {});
    expect(seen.length).toBeGreaterThanOrEqual(18);
    expect(seen.length).toBeGreaterThan(body.length);
    expect(twice(seen)).toEqual([]);
  });
});

describe("No parameter is silently ignored", () => {
  const withoutRaw = endpoints.filter(({ endpoint }) => endpoint.raw === undefined);

  it.each(withoutRaw)("$name refuses an unknown one by its name", async ({ name, endpoint }) => {
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, param: PathParam) => things[param]);
    const as = name === "agents.me" ? (await api.atWork(things.agentId)).as : {};
    const { status, body } = await api.request(endpoint.method, `${path}?colour=red`, as);
    expect([status, body.code]).toEqual([400, "validation_error"]);
    expect(body.details).toContainEqual(expect.objectContaining({ path: ["colour"] }));
  });

  it.each(["limit=2&limit=3", "limit=", "limit=2&cursor=", "status=", "status=todo,nothing"])(
    "and %s is not guessed",
    async (query) => {
      const { status, body } = await api.get(`/api/companies/${things.companyId}/issues?${query}`);
      expect([status, typeof body.error]).toEqual([400, "string"]);
    },
  );
});

describe("A cursor that is deep JSON", () => {
  it.each(["[", '{"a":'])("is refused by each list: %s", async (open) => {
    // As deep as a query may be long.
    const levels = Math.floor(12_000 / open.length);
    const text = `${open.repeat(levels)}1${(open === "[" ? "]" : "}").repeat(levels)}`;
    const cursor = Buffer.from(`["runs",${text}]`).toString("base64url").slice(0, 16_000);
    const lists = endpoints.filter(({ endpoint }) => "cursor" in endpoint.query.shape);
    expect(lists.length).toBeGreaterThan(20);
    for (const { name, endpoint } of lists) {
      const path = endpoint.path.replace(
        /\{(\w+)\}/g,
        (_, param: string) => things[param as keyof typeof things]!,
      );
      const answer = await api.get(`${path}?cursor=${cursor}`);
      expect([answer.status, answer.body.code], name).toEqual([
        400,
        expect.stringMatching(/invalid|validation_error/),
      ]);
    }
  });
});
