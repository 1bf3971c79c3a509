import * as Effect from "effect/Effect";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { databaseOf } from "../../adapters-infra/postgres/database.ts";
import { postgresViews } from "../../adapters-infra/postgres/views/index.ts";
import { showCompany } from "../../core/companies/show-company.ts";
import type { Company } from "../../core/model/companies/company.ts";
import type { Comment } from "../../core/model/issues/comments/comment.ts";
import { priorities } from "../../core/model/issues/issue-status.ts";
import type {
  AgentKeyId,
  CommentId,
  CompanyId,
  RunId,
  TokenId,
  UserId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import { stopRuns } from "../../core/queue/stop-runs.ts";
import { showAgent } from "../../core/staff/agents/show-agent.ts";
import type { IssueViews } from "../../ports/views/issue-views.ts";
import { type CursorInvalid, type Page, type PageRequest, shownAs } from "../../ports/views/page.ts";
import type { StreamEvent } from "../../ports/views/stream-views.ts";
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
import * as nouns from "../support/nouns.ts";
import { unitAt } from "../support/units.ts";

let storage: TestStorage;
let company: Company;

beforeAll(async () => {
  storage = await openTestStorage();
  company = await aCompany(storage, { name: "Views" });
});
afterAll(() => storage.close());
const agents = () => showAgent(storage.views.agents, systemClock);
const companies = () => showCompany(storage.views.companies, systemClock);

const read = Effect.runPromise;
const codeOf = (effect: Effect.Effect<unknown, { readonly code: string }>) =>
  read(
    effect.pipe(
      Effect.flip,
      Effect.map(({ code }) => code),
    ),
  );

type List<Row> = (page: PageRequest) => Effect.Effect<Page<Row>, CursorInvalid>;

/** Reads all pages; `between` runs after each. */
const walk = async <Row>(
  list: List<Row>,
  limit: number,
  between: () => Promise<unknown> = async () => {},
) => {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<Row> = await read(list({ limit, cursor }));
    expect(page.items.length).toBeLessThanOrEqual(limit);
    rows.push(...page.items);
    cursor = page.next ?? undefined;
    await between();
  } while (cursor !== undefined);
  return rows;
};

const commentOf = (fields: Pick<Comment, "issueId"> & Partial<Comment>): Comment => ({
  id: newId<CommentId>(),
  companyId: company.id,
  body: "Hello",
  authorAgentId: null,
  authorUserId: null,
  createdByRunId: null,
  location: null,
  createdAt: nouns.now,
  updatedAt: nouns.now,
  editedAt: null,
  deletedAt: null,
  ...fields,
});

const aComment = async (fields: Pick<Comment, "issueId"> & Partial<Comment>): Promise<Comment> => {
  const comment = commentOf(fields);
  await storage.run(({ comments }) => comments.insert(comment));
  return comment;
};

const listIssues = (...[listing, page]: Parameters<IssueViews["list"]>) =>
  storage.views.issues.list(listing, page).pipe(Effect.map(shownAs(({ row }) => row)));

describe("paging with cursors", () => {
  it("finds every initial entry exactly once, whatever is added meanwhile, in any order and page size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          sort: fc.constantFrom("priority" as const, "newest" as const, "created" as const),
          limit: fc.integer({ min: 1, max: 7 }),
          before: fc.array(fc.record({ priority: fc.constantFrom(...priorities), minute: fc.nat(3) }), {
            maxLength: 12,
          }),
          meanwhile: fc.array(fc.record({ priority: fc.constantFrom(...priorities), minute: fc.nat(3) }), {
            maxLength: 6,
          }),
        }),
        async ({ sort, limit, before, meanwhile }) => {
          const { id: companyId } = await aCompany(storage);
          const make = ({ priority, minute }: (typeof before)[number]) =>
            anIssue(storage, { companyId, priority, lastActivityAt: `2026-01-30T08:0${minute}:00.000Z` });
          const there: string[] = [];
          for (const fields of before) there.push((await make(fields)).id);
          const coming = [...meanwhile];
          const met = await walk(
            (page) => listIssues({ companyId, sort }, page),
            limit,
            async () => {
              const fields = coming.shift();
              if (fields !== undefined) await make(fields);
            },
          );
          const ids = met.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toEqual(expect.arrayContaining(there));
          if (sort === "newest") {
            expect(ids).toEqual(ids.toSorted().reverse());
            return;
          }
          const rank = (issue: (typeof met)[number]) =>
            sort === "created"
              ? issue.id
              : `${priorities.indexOf(issue.priority)} ${9e15 - Date.parse(issue.lastActivityAt)}`;
          const ranks = met.map(rank);
          expect(ranks).toEqual([...ranks].sort());
        },
      ),
      { numRuns: 25 },
    );
  });

  it("goes through comments in both directions", async () => {
    const issue = await anIssue(storage, { companyId: company.id });
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) ids.push((await aComment({ issueId: issue.id })).id);
    const walked = async (order: "asc" | "desc") =>
      (await walk((page) => storage.views.issues.comments(issue.id, order, page), 3)).map(({ id }) => id);
    expect(await walked("asc")).toEqual(ids);
    expect(await walked("desc")).toEqual(ids.toReversed());
  });

  it("with a word that most issues hold shows each of them once; search ranks the newest of them", async () => {
    const { id: companyId, issuePrefix } = await aCompany(storage);
    await anIssue(storage, { companyId, title: "Of something else" });
    await storage.sql`
      insert into issues (
        id, company_id, identifier, title, status, priority, last_activity_at, created_at, updated_at
      )
      select  uuidv7(), ${companyId}, ${`${issuePrefix}-7`} || n, 'Buoy ' || n,
              (array['todo', 'done'])[1 + n % 2], 'low', now() - n % 97 * interval '1 minute', now(), now()
      from    generate_series(1, 1004) n`;
    const talked = await anIssue(storage, { companyId, title: "Talk", status: "todo" });
    await aComment({ companyId, issueId: talked.id, body: "Is that a buoy?" });
    const sorted = (rows: readonly { readonly title: string }[]) => rows.map(({ title }) => title).sort();
    const buoys = (of: (n: number) => boolean) =>
      Array.from({ length: 1004 }, (_, n) => n + 1)
        .filter(of)
        .map((n) => `Buoy ${n}`);
    for (const sort of ["priority", "newest", "created"] as const) {
      const list = (filter: { q: string; statuses?: ["todo"] }) =>
        walk((page) => listIssues({ companyId, sort, ...filter }, page), 400);
      expect(sorted(await list({ q: "buoy" }))).toEqual(["Talk", ...buoys(() => true)].sort());
      expect(sorted(await list({ q: "buoy", statuses: ["todo"] }))).toEqual(
        ["Talk", ...buoys((n) => n % 2 === 0)].sort(),
      );
      expect(sorted(await list({ q: "buoy -77" }))).toEqual(["Talk", ...buoys((n) => n !== 77)].sort());
      expect(sorted(await list({ q: `${issuePrefix}-712` }))).toEqual(["Buoy 12"]);
    }
    expect(await read(storage.views.issues.count({ companyId, q: "buoy" }))).toBe(1005);
    const hits = await walk((page) => storage.views.search.issues(companyId, "buoy", page), 400);
    expect(new Set(hits.map(({ id }) => id)).size).toBe(1001);
    expect(hits.map(({ title }) => title)).not.toContain("Buoy 1");
    expect(hits.map(({ title }) => title)).toEqual(expect.arrayContaining(["Talk", "Buoy 1004", "Buoy 5"]));
  });

  it("reads long texts in small portions, each of them once", async () => {
    // All statements use one connection, in sequence.
    const narrow = await openTestStorage({ max: 1 });
    try {
      const { id: companyId } = await aCompany(narrow);
      const issue = await anIssue(narrow, { companyId });
      const bodies = Array.from({ length: 130 }, (_, n) =>
        n > 60 && n < 90 ? "x".repeat(512 * 1024) : `${n}`,
      );
      for (const body of bodies) {
        const comment = { ...commentOf({ issueId: issue.id, companyId }), body };
        await narrow.run(({ comments }) => comments.insert(comment));
      }
      const sizes: number[] = [];
      const list: List<Comment> = (page) =>
        narrow.views.issues
          .comments(issue.id, "asc", page)
          .pipe(Effect.tap(({ items }) => Effect.sync(() => sizes.push(items.length))));
      const met = await walk(list, 500);
      expect(met.map(({ body }) => body)).toEqual(bodies);
      // 15 long texts and the short ones before them fill a page.
      expect(sizes).toEqual([61 + 15, 130 - 61 - 15]);
    } finally {
      await narrow.close();
    }
  });

  it("goes through runs and activity, newest first", async () => {
    const { id: companyId } = await aCompany(storage);
    for (let n = 0; n < 5; n++) {
      const agent = await anAgent(storage, { companyId });
      await storage.run(({ wakes, activity }) =>
        Effect.andThen(
          wakes.add(aWakeRequest({ agent })),
          activity.append({
            companyId,
            by: nouns.theBoard,
            at: nouns.now,
            action: "agent.paused",
            entityId: agent.id,
            details: {},
          }),
        ),
      );
    }
    const runs = await walk((page) => storage.views.runs.list({ companyId }, page), 2);
    expect(runs.map(({ id }) => id)).toEqual(
      runs
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    expect(runs).toHaveLength(5);
    expect(await walk((page) => storage.views.activity.list({ companyId }, page), 2)).toHaveLength(5);
  });

  it("with filters is planned per request, except issues by urgency: the server prepares only these", async () => {
    // Statements are prepared for each connection.
    const sql = openDatabase(storage.url, { max: 1 });
    const database = databaseOf(sql);
    const { issues } = postgresViews(database, systemClock);
    for (const limit of [1, 500]) {
      await read(issues.list({ companyId: company.id, statuses: ["todo"], sort: "priority" }, { limit }));
      await read(issues.list({ companyId: company.id, q: "lamp", sort: "priority" }, { limit }));
      await read(issues.list({ companyId: company.id, statuses: ["todo"], sort: "created" }, { limit }));
    }
    const prepared = await read(
      database.read(
        (sql) => sql<{ statement: string }[]>`
          select  statement
          from    pg_prepared_statements
          where   statement like '%company_id = %'
          and     statement not like '%pg_prepared_statements%'
        `,
      ),
    );
    await sql.end({ timeout: 5 });
    expect(prepared.map(({ statement }) => statement.includes("priority_rank"))).toEqual([true, true]);
  });

  it("refuses a cursor of another list", async () => {
    for (let n = 0; n < 2; n++) await anIssue(storage, { companyId: company.id });
    const list = (sort: "priority" | "created", cursor: string) =>
      storage.views.issues.list({ companyId: company.id, sort }, { limit: 1, cursor });
    const { next } = await read(
      storage.views.issues.list({ companyId: company.id, sort: "priority" }, { limit: 1 }),
    );
    await read(list("priority", next!));
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const [kind, rank, at, id] = JSON.parse(Buffer.from(next!, "base64url").toString()) as string[];
    for (const cursor of [
      "",
      "x",
      "!!!",
      `${next}x`,
      `${next}=`,
      encoded(null),
      encoded({}),
      encoded([kind]),
      encoded([kind, rank, at, id, "more"]),
      encoded([kind, 4, at, id]),
      encoded([kind, rank, "yesterday", id]),
      encoded([kind, rank, "2026-13-45T00:00:00.000Z", id]),
      encoded([kind, rank, at, "' or 1 = 1"]),
      encoded(["issues.created", rank, at, id]),
    ])
      expect(await codeOf(list("priority", cursor)), cursor).toBe("cursor_invalid");
    expect(await codeOf(list("created", next!))).toBe("cursor_invalid");
    expect(
      await codeOf(storage.views.runs.list({ companyId: company.id }, { limit: 1, cursor: next! })),
    ).toBe("cursor_invalid");
  });
});

describe("issues", () => {
  it("are filtered by each of their fields", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const parent = await anIssue(storage, { companyId, status: "backlog" });
    const child = await anIssue(storage, { companyId, parentId: parent.id, assigneeAgentId: agent.id });
    const list = async (filter: object) =>
      (await read(listIssues({ companyId, sort: "created", ...filter }, { limit: 10 }))).items.map(
        ({ id }) => id,
      );
    expect(await list({})).toEqual([parent.id, child.id]);
    expect(await list({ statuses: ["backlog", "done"] })).toEqual([parent.id]);
    expect(await list({ assigneeAgentId: agent.id })).toEqual([child.id]);
    expect(await list({ assigneeAgentId: null })).toEqual([parent.id]);
    expect(await list({ parentId: parent.id })).toEqual([child.id]);
    expect(await list({ projectId: newId() })).toEqual([]);
    expect(await list({ goalId: newId() })).toEqual([]);
    expect((await read(listIssues({ companyId, sort: "priority" }, { limit: 10 }))).items).toEqual(
      expect.arrayContaining([
        { ...parent, labels: [], started_at: null, completed_at: null, doneAs: null },
        { ...child, labels: [], started_at: null, completed_at: null, doneAs: null },
      ]),
    );
  });

  it("are listed as JSON, whose instants are like all others, and whose texts stay as they are", async () => {
    const { id: companyId } = await aCompany(storage);
    const at = "2026-01-30T08:00:00.000Z" as Instant;
    const instant = "2026-11-21T05:06:13+00:00";
    const issue = await anIssue(storage, {
      companyId,
      title: instant,
      description: `"createdAt":"${instant}" and \\"startedAt\\":"${instant}"\n"At":"`,
      billingCode: `At":"${instant}`,
      heldSince: at,
      startedAt: "2026-01-30T08:00:00.120Z" as Instant,
      completedAt: at,
    });
    const shown = { ...issue, labels: [], started_at: issue.startedAt, completed_at: at, doneAs: null };
    for (const sort of ["priority", "activity", "newest", "created"] as const) {
      expect((await read(listIssues({ companyId, sort }, { limit: 10 }))).items).toEqual([shown]);
      const { description: _, ...slim } = shown;
      expect((await read(listIssues({ companyId, sort, slim: true }, { limit: 10 }))).items).toEqual([slim]);
    }
    const texts = await read(storage.views.issues.list({ companyId, sort: "created" }, { limit: 10 }));
    expect(JSON.parse(JSON.stringify(texts.items))).toEqual([shown]);
  });

  it("include their relations, their blockers and the issues they block", async () => {
    const project = {
      id: newId<never>(),
      companyId: company.id,
      name: "Rocket",
      description: null,
      status: "planned" as const,
      leadAgentId: null,
      targetDate: "2026-12-31",
      budgetMonthlyCents: 0,
      heldByBudgetAt: null,
      archivedAt: null,
      createdAt: nouns.now,
      updatedAt: nouns.earlier,
    };
    await storage.run(({ projects }) => projects.insert(project));
    const top = await anIssue(storage, { companyId: company.id, projectId: project.id, description: "why" });
    const middle = await anIssue(storage, { companyId: company.id, parentId: top.id });
    const leaf = await anIssue(storage, {
      companyId: company.id,
      parentId: middle.id,
      projectId: project.id,
    });
    const blocker = await anIssue(storage, { companyId: company.id });
    await storage.run(({ issues }) => issues.replaceBlockers(company.id, leaf.id, [blocker.id]));
    const { issue: found } = await read(storage.views.issues.get(leaf.id));
    expect(found).toMatchObject(leaf);
    const { budgetMonthlyCents: _cents, heldByBudgetAt: _held, ...facts } = project;
    expect(found.project).toEqual(facts);
    expect(found.goal).toBeNull();
    expect(found.ancestors).toEqual([
      {
        id: middle.id,
        identifier: middle.identifier,
        title: middle.title,
        description: null,
        status: "todo",
        priority: "medium",
        assigneeAgentId: null,
        assigneeUserId: null,
        projectId: null,
        goalId: null,
        project: null,
        goal: null,
      },
      expect.objectContaining({ id: top.id, description: "why", project: facts, goal: null }),
    ]);
    const reference = ({ id, identifier, title, status }: typeof leaf) => ({ id, identifier, title, status });
    expect(found.blockedBy).toEqual([reference(blocker)]);
    expect((await read(storage.views.issues.get(blocker.id))).issue.blocks).toEqual([reference(leaf)]);
    expect(await codeOf(storage.views.issues.get(newId()))).toBe("issue_not_found");
  });
});

describe("agents", () => {
  it("show the status that follows from holds, runs and errors, and plain variables as what they are", async () => {
    const { id: companyId } = await aCompany(storage);
    const make = (name: string, fields = {}) => anAgent(storage, { companyId, name, ...fields });
    await make("A idle", { adapterConfig: { env: { KEY: { type: "plain", value: "geheim" } } } });
    const busy = await make("B busy", { errorReason: "before" });
    await make("C error", { errorReason: "boom" });
    const today = systemClock.now();
    await make("D held", { heldManuallyAt: today, heldByBudgetAt: today });
    await make("E broke", { heldByBudgetAt: today });
    await make("F draft", { lifecycleState: "pending_approval" });
    await make("G gone", { lifecycleState: "terminated" });
    const request = aWakeRequest({ agent: busy });
    await storage.run(({ wakes, runs }) =>
      Effect.andThen(
        wakes.add(request),
        runs.start(
          [
            {
              runId: request.runId,
              by: { serviceId: newId(), runner: "local", scope: "host/here", volume: null },
              sessionIdBefore: null,
            },
          ],
          nouns.now,
        ),
      ),
    );
    const list = (await read(agents().list(companyId))).map(({ row }) => row);
    expect(list.map(({ name, status, pauseReason }) => [name, status, pauseReason])).toEqual([
      ["A idle", "idle", null],
      ["B busy", "running", null],
      ["C error", "error", null],
      ["D held", "paused", "manual"],
      ["E broke", "paused", "budget"],
      ["F draft", "pending_approval", null],
      ["G gone", "terminated", null],
    ]);
    expect(list[0]!.adapterConfig).toEqual({ env: { KEY: { type: "plain", value: "geheim" } } });
    expect(list[0]!.spentMonthlyCents).toBe(0);
  });

  it("have a chain of managers, and form a forest", async () => {
    const { id: companyId } = await aCompany(storage);
    const boss = await anAgent(storage, { companyId, name: "Boss", title: "CEO" });
    const gone = await anAgent(storage, { companyId, name: "Gone", reportsTo: boss.id });
    const lead = await anAgent(storage, { companyId, name: "Lead", reportsTo: boss.id });
    const worker = await anAgent(storage, { companyId, name: "Worker", reportsTo: lead.id });
    await anAgent(storage, { companyId, name: "Orphan", reportsTo: gone.id });
    await storage.run(({ agents }) => agents.save({ ...gone, lifecycleState: "terminated" }));
    const found = await read(agents().show(worker.id, nouns.anAdmin));
    expect(found.chainOfCommand).toEqual([
      { id: lead.id, name: "Lead", role: "engineer", title: null },
      { id: boss.id, name: "Boss", role: "engineer", title: "CEO" },
    ]);
    const names = (nodes: Awaited<ReturnType<typeof org>>): unknown =>
      nodes.map(({ name, reports }) => (reports.length === 0 ? name : [name, names(reports)]));
    const org = () => read(agents().org(companyId));
    expect(names(await org())).toEqual([["Boss", [["Lead", ["Worker"]]]], "Orphan"]);
    expect(await codeOf(agents().show(newId(), nouns.anAdmin))).toBe("agent_not_found");
  });
});

describe("companies", () => {
  it("are listed by name, among the requested ones", async () => {
    const one = await aCompany(storage, { name: "beta" });
    const other = await aCompany(storage, { name: "Alpha" });
    const list = async (among: readonly CompanyId[] | null) =>
      (await read(companies().list(among, ["active", "paused"], nouns.anAdmin))).map(({ id }) => id);
    expect(await list([one.id, other.id])).toEqual([other.id, one.id]);
    expect(await list([])).toEqual([]);
    expect(await list(null)).toEqual(expect.arrayContaining([one.id, other.id]));
    expect(await read(companies().show(one.id, nouns.anAdmin))).toMatchObject({
      id: one.id,
      name: "beta",
      issuePrefix: one.issuePrefix,
      spentMonthlyCents: 0,
      logoUrl: null,
    });
    expect(await codeOf(companies().show(newId(), nouns.anAdmin))).toBe("company_not_found");
  });
});

describe("the caller", () => {
  const at = "2026-01-31T12:00:00.000Z";
  const hashOf = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");

  const aTokenOf = async (userId: UserId, fields = {}) => {
    const id = newId<TokenId>();
    await storage.run(({ access }) =>
      access.insertCredential({
        id,
        userId,
        kind: "token",
        name: "t",
        hash: hashOf(id),
        createdAt: nouns.earlier,
        expiresAt: null,
        endsAt: null,
        ...fields,
      }),
    );
    return id;
  };

  it("is known by a valid token or session of an enabled user", async () => {
    const user = { id: newId<UserId>(), name: "Uma", admin: false, createdAt: nouns.now, disabledAt: null };
    await storage.run(({ access }) =>
      Effect.andThen(access.insertUser(user), access.setRole(company.id, user.id, "operator", at)),
    );
    const token = await aTokenOf(user.id);
    const by = (id: string, kind: "token" | "session" = "token") =>
      read(storage.views.access.boardByHash(hashOf(id), kind, at));
    expect(await by(token)).toEqual({
      kind: "board",
      userId: user.id,
      name: "Uma",
      admin: false,
      roles: new Map([[company.id, "operator"]]),
      tokenId: token,
      session: false,
    });
    expect(await by(token, "session")).toBeNull();
    const session = await aTokenOf(user.id, {
      kind: "session",
      expiresAt: "2026-02-01T00:00:00.000Z",
      endsAt: "2026-02-01T00:00:00.000Z",
    });
    expect(await by(session, "session")).toMatchObject({ tokenId: session, session: true });
    const expired = await aTokenOf(user.id, { expiresAt: at });
    expect(await by(expired)).toBeNull();
    const revoked = await aTokenOf(user.id);
    await storage.run(({ access }) => access.revokeCredential(revoked, null, at));
    expect(await by(revoked)).toBeNull();
    await storage.run(({ access }) => access.saveUser({ ...user, disabledAt: at }));
    expect(await by(token)).toBeNull();
  });

  it("records the use, at most once a minute", async () => {
    const user = { id: newId<UserId>(), name: "Uwe", admin: true, createdAt: nouns.now, disabledAt: null };
    await storage.run(({ access }) => access.insertUser(user));
    const token = await aTokenOf(user.id);
    const use = (when: string) => read(storage.views.access.boardByHash(hashOf(token), "token", when));
    const lastUsedAt = async () => (await read(storage.views.access.token(token))).lastUsedAt;
    const untilRecorded = (when: string) => eventually(lastUsedAt, (seen) => seen === when);
    await use("2026-01-31T12:00:00.000Z");
    await untilRecorded("2026-01-31T12:00:00.000Z");
    await use("2026-01-31T12:00:59.000Z");
    // A record of that use would prevent this one.
    await use("2026-01-31T12:01:01.000Z");
    await untilRecorded("2026-01-31T12:01:01.000Z");
  });

  it("is an agent by its key or its run, while the agent may work", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const other = await anAgent(storage, { companyId: company.id });
    const id = newId<AgentKeyId>();
    await storage.run(({ agents }) =>
      agents.insertKey({
        id,
        companyId: company.id,
        agentId: agent.id,
        name: "k",
        hash: hashOf(id),
        createdAt: at,
      }),
    );
    const request = aWakeRequest({ agent });
    await storage.run(({ wakes }) => wakes.add(request));
    const byKey = (runId: RunId | null) => read(storage.views.access.agentByKeyHash(hashOf(id), runId, at));
    const byRun = (agentId: typeof agent.id) => read(storage.views.access.agentByRun(agentId, request.runId));
    const { lifecycleState, heldManuallyAt, heldByBudgetAt, runtimeConfig } = agent;
    const self = { lifecycleState, heldManuallyAt, heldByBudgetAt, runtimeConfig };
    const caller = { kind: "agent", agentId: agent.id, companyId: company.id, name: agent.name, self };
    expect(await byKey(null)).toEqual({ caller: { ...caller, runId: null }, runIsLive: false });
    expect(await byKey(request.runId)).toEqual({
      caller: { ...caller, runId: request.runId },
      runIsLive: true,
    });
    expect((await byKey(newId<RunId>()))!.runIsLive).toBe(false);
    expect(await byRun(agent.id)).toEqual({ caller: { ...caller, runId: request.runId }, runIsLive: true });
    expect(await byRun(other.id)).toBeNull();
    await storage.run((stores) => stopRuns(unitAt(stores, at), { runId: request.runId }, "cancelled"));
    expect((await byRun(agent.id))!.runIsLive).toBe(false);
    await storage.run(({ agents }) => agents.save({ ...agent, lifecycleState: "terminated" }));
    expect(await byKey(null)).toBeNull();
    expect(await byRun(agent.id)).toBeNull();
  });

  it("may name things in every supported way", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const issue = await anIssue(storage, { companyId: company.id });
    const { locate } = storage.views.access;
    const here = (id: string) => ({ id, companyId: company.id, companyStatus: "active" });
    expect(await read(locate("company", company.id, null))).toEqual(here(company.id));
    expect(await read(locate("issue", issue.id, null))).toEqual(here(issue.id));
    expect(await read(locate("issue", issue.identifier.toLowerCase(), null))).toEqual(here(issue.id));
    expect(await read(locate("agent", agent.id, null))).toEqual(here(agent.id));
    expect(await read(locate("agent", agent.urlKey, company.id))).toEqual(here(agent.id));
    expect(await read(locate("agent", agent.urlKey, null))).toBeNull();
    for (const subject of ["company", "agent", "issue", "run", "project", "goal"] as const)
      for (const nonsense of ["", "x", "'", "ABC-0", newId()])
        expect(await read(locate(subject, nonsense, company.id)), `${subject} ${nonsense}`).toBeNull();
  });
});

describe("logs", () => {
  it("are found by the text at an offset, in portions", async () => {
    const agent = await anAgent(storage, { companyId: company.id });
    const { runId } = aWakeRequest({ agent });
    for (const [offset, bytes] of [
      [0, 10],
      [10, 20],
      [30, 5],
      [35, 100],
    ] as const)
      await storage.sql`
        insert into run_log_segments (company_id, run_id, byte_offset, bytes, blob_key, created_at)
        values (${company.id}, ${runId}, ${offset}, ${bytes}, ${`k${offset}`}, now())
      `;
    const keys = async (offset: number, limit: number) =>
      (await read(storage.views.runs.logSegments(runId, offset, limit))).map(({ blobKey }) => blobKey);
    expect(await keys(0, 1_000)).toEqual(["k0", "k10", "k30", "k35"]);
    expect(await keys(0, 1)).toEqual(["k0"]);
    expect(await keys(9, 30)).toEqual(["k0", "k10", "k30"]);
    expect(await keys(9, 25)).toEqual(["k0", "k10"]);
    expect(await keys(10, 25)).toEqual(["k10", "k30"]);
    expect(await keys(134, 1)).toEqual(["k35"]);
    expect(await keys(135, 100)).toEqual([]);
  });
});

describe("operations", () => {
  it("count waiting and running work", async () => {
    const before = await read(storage.views.operations.now(nouns.now));
    const agent = await anAgent(storage, { companyId: company.id });
    await storage.run(({ wakes }) => wakes.add(aWakeRequest({ agent, at: "2001-01-01T00:00:00.000Z" })));
    const after = await read(storage.views.operations.now(nouns.now));
    expect(after).toMatchObject({
      runsQueued: before.runsQueued + 1,
      runsRunning: before.runsRunning,
      wakesPending: before.wakesPending + 1,
      oldestPendingWakeAt: "2001-01-01T00:00:00.000Z",
    });
  });
});

describe("the stream", () => {
  const append = (companyId: CompanyId, n: number, holdMs = 0) =>
    storage.run(({ activity }) =>
      Effect.andThen(
        activity.append({
          companyId,
          by: nouns.theBoard,
          at: nouns.now,
          action: "issue.stalled",
          entityId: newId(),
          details: { identifier: `S-${n}` },
        }),
        Effect.sleep(holdMs),
      ),
    );

  it("gives everything to a follower exactly once and in order, however the transactions end", async () => {
    const { id: companyId } = await aCompany(storage);
    const { id: foreignId } = await aCompany(storage);
    const start = await read(storage.views.stream.end());
    let writing = true;
    const seen: StreamEvent[] = [];
    const follow = async () => {
      let position = start;
      // Entries newer than the oldest transaction of the whole cluster, with other suites, are held back until that
      // ends.
      const until = performance.now() + 200_000;
      const isShort = () => seen.length < 54 && performance.now() < until;
      for (let quiet = 0; writing || isShort() || quiet < 3; ) {
        const { events } = await read(storage.views.stream.after(position, [companyId], 7));
        quiet = events.length === 0 ? quiet + 1 : 0;
        seen.push(...events);
        position = events.at(-1)?.position ?? position;
        if (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const following = follow();
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
        await append(n % 10 === 9 ? foreignId : companyId, n, Math.random() * 60);
      }),
    );
    writing = false;
    await following;
    const identifiers = seen.map(({ payload }) => (payload.details as { identifier: string }).identifier);
    expect(new Set(identifiers).size).toBe(54);
    expect(identifiers).toHaveLength(54);
    expect(seen.every((event) => event.companyId === companyId && event.type === "activity.logged")).toBe(
      true,
    );
    expect(seen.every(({ position }) => storage.views.stream.isPosition(position))).toBe(true);
    const again = await read(storage.views.stream.after(start, [companyId], 1_000));
    expect(again.events).toEqual(seen);
  });

  it("holds activity, events of runs and their log", async () => {
    const { id: companyId } = await aCompany(storage);
    const agent = await anAgent(storage, { companyId });
    const start = await read(storage.views.stream.end());
    await append(companyId, 1);
    const request = aWakeRequest({ agent });
    await storage.run(({ wakes, runs }) =>
      Effect.andThen(
        wakes.add(request),
        runs.appendEvents([
          {
            companyId,
            runId: request.runId,
            type: "lifecycle",
            level: "info",
            message: "run started",
            payload: { snake_case: true },
            at: nouns.now,
          },
        ]),
      ),
    );
    await storage.sql`
      insert into run_log_segments (company_id, run_id, byte_offset, bytes, blob_key, created_at)
      values (${companyId}, ${request.runId}, 0, 3, 'k', ${nouns.now})
    `;
    // Entries newer than the oldest transaction of the whole cluster are held back until that ends.
    const { events } = await eventually(
      () => read(storage.views.stream.after(start, [companyId], 10)),
      (seen) => seen.events.length === 3,
    );
    expect(events.map(({ type, at }) => [type, at])).toEqual([
      ["activity.logged", nouns.now],
      ["heartbeat.run.event", nouns.now],
      ["heartbeat.run.log", nouns.now],
    ]);
    expect(events[0]!.payload).toMatchObject({
      actorType: "board",
      entityType: "issue",
      createdAt: nouns.now,
    });
    expect(events[1]!.payload).toEqual({
      runId: request.runId,
      seq: 1,
      type: "lifecycle",
      level: "info",
      message: "run started",
      payload: { snake_case: true },
      createdAt: nouns.now,
    });
    expect(events[2]!.payload).toEqual({ runId: request.runId, byteOffset: 0, bytes: 3, blobKey: "k" });
  });

  it("tells its positions from other text", async () => {
    const { isPosition, after } = storage.views.stream;
    for (const text of ["", "1", "1-", "-1", "a-b", "01-1", "1-1-1", "1-1 ", `${"9".repeat(30)}-1`])
      expect(isPosition(text), text).toBe(false);
    expect(isPosition(await read(storage.views.stream.end()))).toBe(true);
    expect((await read(after("nonsense", [company.id], 10))).events).toEqual([]);
    expect((await read(after("0-0", [], 10))).events).toEqual([]);
  });
});
