import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { noStores } from "../../adapters-infra/git/git-stores.ts";
import { cronerCalendar } from "../../adapters-infra/local/croner-calendar.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { type PostgresAdapters, postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { listLineComments } from "../../core/code/comments/list-line-comments.ts";
import { showWorkspace } from "../../core/code/workspaces/show-workspace.ts";
import { showCompany } from "../../core/companies/show-company.ts";
import { inbox } from "../../core/inbox/index.ts";
import { showPushSubscriptions } from "../../core/notices/push/show-push-subscriptions.ts";
import { companyNextFires } from "../../core/routines/company-next-fires.ts";
import { showRoutine } from "../../core/routines/show-routine.ts";
import { showAgent } from "../../core/staff/agents/show-agent.ts";
import { addActions } from "../../core/work/issues/interactions/add-actions.ts";
import { showProject } from "../../core/work/projects/show-project.ts";
import type { App } from "../../hosts/api/endpoint/app.ts";
import type { Call, Endpoint } from "../../hosts/api/endpoint/endpoint.ts";
import { endpoints } from "../../hosts/api/index.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Page } from "../../ports/views/page.ts";
import { type BackgroundCase, backgroundCases, readingCases } from "../support/background-cases.ts";
import { createCrowdedDatabase, crowd, nth } from "../support/crowded-database.ts";
import { type ListCase, listCases } from "../support/list-cases.ts";
import { openPlans, type Plans } from "../support/query-plans.ts";
import { noTemplates } from "../support/workspaces.ts";

const noAdapters = { known: () => [], loaded: () => new Map() } as unknown as AdapterRegistry;

let plans: Plans;
let adapters: PostgresAdapters;
let app: App;
let close: () => Promise<void>;

beforeAll(async () => {
  const database = await createCrowdedDatabase();
  plans = await openPlans(database.url);
  adapters = postgresAdapters(plans.sql, systemClock);
  const { transactor, views } = adapters;
  app = {
    views,
    clock: systemClock,
    inbox: inbox(
      { transactor, clock: systemClock, ids: uuidIds },
      views,
      noAdapters,
      { schedule: null, to: null, isEncrypted: false, reminds: true },
      noTemplates,
    ),
    issues: {
      lineComments: listLineComments(
        { transactor, clock: systemClock, ids: uuidIds },
        noStores("None."),
        views,
      ),
      interactions: { addActions: addActions({ transactor, clock: systemClock, ids: uuidIds }) },
    },
    companies: showCompany(views.companies, systemClock),
    agents: showAgent(views.agents, systemClock),
    projects: showProject(views.planning, systemClock),
    pushSubscriptions: {
      show: showPushSubscriptions({ transactor, clock: systemClock, ids: uuidIds }),
    },
    issueWorkspaces: showWorkspace(views.issueWorkspaces),
    routines: {
      ...showRoutine(views.routines, systemClock),
      companyNextFires: companyNextFires(cronerCalendar())({ transactor, clock: systemClock, ids: uuidIds }),
    },
  } as unknown as App;
  close = async () => {
    await plans.end();
    await database.drop();
  };
});
afterAll(() => close?.());

const isList = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodReadonly ? isList(schema.unwrap() as z.ZodType) : schema instanceof z.ZodArray;

const lists = endpoints.filter(({ endpoint }) => endpoint.method === "GET" && isList(endpoint.returns));

type Listed = Page<unknown> | readonly unknown[];

/** Runs the case as dispatch does, except for the limit. */
const ask = (
  endpoint: Endpoint,
  { path, query, memberOf }: ListCase,
  page: { readonly cursor?: string; readonly limit?: number },
): Effect.Effect<Listed> => {
  const call = {
    companyId: path?.companyId ?? nth("company", 1),
    caller: {
      kind: "board",
      userId: nth("user", 5),
      admin: memberOf === undefined,
      roles: new Map(memberOf?.map((id) => [id, "owner"])),
    },
  };
  const input = { ...path, ...endpoint.query.parse(query ?? {}), ...page };
  return endpoint.run(app, input, call as unknown as Call<never>) as Effect.Effect<Listed>;
};

const rowsOf = (answer: Listed): number => ("items" in answer ? answer.items : answer).length;

/** Rows that may be read per row of a page, with its labels, triggers and names; and for a page without rows. */
const perRow = 25;
const perPage = 400;

/**
 * Tells whether a page is planned for its values. Pages with filters are, except issues by urgency without a search, and
 * workspaces and the progress of one project or goal; the server may prepare all others for any values.
 */
const isPlannedForItsValues = ({ media, path }: Endpoint, { query = {} }: ListCase): boolean => {
  if (path === "/api/companies/{companyId}/workspaces") return true;
  if (path === "/api/companies/{companyId}/issues/progress") return "id" in query;
  const isByUrgency = path === "/api/companies/{companyId}/issues" && query.sort === undefined;
  const isSearched = "labelIds" in query || "doneAs" in query || "q" in query;
  return media === "page" && Object.keys(query).length > 0 && (!isByUrgency || isSearched);
};

/** Lists the faults of a plan, one line each. */
const complaints = async (endpoint: Endpoint, each: ListCase): Promise<string[]> => {
  const wrong: string[] = [];
  const check = async (which: string, cursor?: string) => {
    const asked = ask(endpoint, each, cursor === undefined ? {} : { cursor });
    const modes = isPlannedForItsValues(endpoint, each)
      ? (["custom"] as const)
      : (["custom", "generic"] as const);
    for (const { mode, answer, scanned, rows } of await plans.readIn(asked, modes)) {
      const allowed = perPage + perRow * rowsOf(answer) + (each.beyond?.[0] ?? 0);
      const about = `${which}, ${mode}: ${JSON.stringify(each)}`;
      if (rows > allowed) wrong.push(`${about}: looks at ${rows} rows to show ${rowsOf(answer)}`);
      const whole = scanned.filter((table) => table !== each.shows);
      if (whole.length > 0) wrong.push(`${about}: reads all of ${whole}`);
    }
  };
  await check("first page");
  if (endpoint.media === "page") {
    const far = (await Effect.runPromise(ask(endpoint, each, { limit: 2_000 }))) as Page<unknown>;
    if (far.next !== null) await check("page far down", far.next);
  }
  return wrong;
};

describe("Every list of the interface", () => {
  it("has calls in this file, or a reason why it reads no growing table", () => {
    expect(lists.map(({ name }) => name).sort()).toEqual(Object.keys(listCases).sort());
  });

  it("is called with each of its filters", () => {
    const unused = lists.flatMap(({ name, endpoint }) => {
      const cases = listCases[name];
      if (cases === undefined || typeof cases === "string") return [];
      const used = new Set(["limit", "cursor", ...cases.flatMap(({ query }) => Object.keys(query ?? {}))]);
      return Object.keys(endpoint.query.shape)
        .filter((field) => !used.has(field))
        .map((field) => `${name}: ${field}`);
    });
    // The server resolves an agent's urlKey before it reads the list; `callerMay` adds facts to the rows of small lists.
    expect(unused).toEqual([
      "agents.list: callerMay",
      "agents.keys: companyId",
      "agents.configRevisions: companyId",
      "routines.list: callerMay",
    ]);
  });
});

describe("With 100,000 issues, 100,000 runs and 200,000 activity entries in companies of unlike sizes", () => {
  it("a list that scans a whole table is detected", async () => {
    const whole = Effect.promise(() => plans.sql`select id from issues where billing_code = 'x'`);
    const { scanned, rows } = await plans.read(whole, "custom");
    expect(scanned).toEqual(["issues"]);
    expect(rows).toBe(100_000);
  });

  it.each(lists.filter(({ name }) => typeof listCases[name] === "object"))(
    "$name finds its rows through an index, and looks at few others",
    async ({ name, endpoint }) => {
      const wrong: string[] = [];
      for (const each of listCases[name] as readonly ListCase[])
        wrong.push(...(await complaints(endpoint, each)));
      expect(wrong).toEqual([]);
    },
  );

  /** Checks both ways in which the server may plan a prepared statement. */
  const holds = async ({ ask, beyond, mayScan, searched }: BackgroundCase): Promise<void> => {
    for (const mode of searched ? (["custom"] as const) : (["custom", "generic"] as const)) {
      const { scanned, rows } = await plans.read(ask(adapters), mode);
      expect(
        scanned.filter((table) => table !== mayScan),
        mode,
      ).toEqual([]);
      expect(rows, mode).toBeLessThanOrEqual(perPage + (beyond?.[0] ?? 0));
    }
  };

  it.each(Object.entries(readingCases))("%s is found through indexes", (_, each) => holds(each));

  it.each(Object.entries(backgroundCases))("%s does not grow with what is past", (_, each) => holds(each));

  it("a common word that only old issues hold is found without reading the new ones", async () => {
    const ask = adapters.views.search.issues(crowd.big, "lantern", { limit: 50, cursor: undefined });
    const { answer, blocks } = await plans.read(ask, "custom");
    expect((answer as Page<unknown>).items).toHaveLength(50);
    // A walk to them reads one for each of 30,000 newer issues.
    expect(blocks).toBeLessThan(5_000);
  });

  it.each(["lantern", "issue", "word17", "thing & !lantern", "lantern & more", "nowhere"])(
    "the older texts with %s are the newest of those, however many are passed",
    async (words) => {
      for (const [passed, most] of [
        [1, 10],
        [3_000, 1_000],
        [70_000, 1_000],
        [200_000, 1],
      ] as const) {
        const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
        const found = await plans.sql<{ id: string }[]>`
          select id from older_issues_with(${crowd.big}, ${words}::tsquery, ${passed}, ${most})`;
        const expected = await plans.sql<{ id: string }[]>`
          select    id
          from      issues
          where     company_id = ${crowd.big}
          and       search @@ ${words}::tsquery
          and       id < (
                      select id from issues where company_id = ${crowd.big} order by id desc offset ${passed - 1} limit 1
                    )
          order by  id desc
          limit     ${most}`;
        expect(ids(found), `${passed}`).toEqual(ids(expected));
      }
    },
  );
});
