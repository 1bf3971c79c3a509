import * as Effect from "effect/Effect";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseOf } from "../../adapters-infra/postgres/database.ts";
import { postgresViews } from "../../adapters-infra/postgres/views/index.ts";
import type { AgentId, CompanyId, IssueId, LabelId, ProjectId } from "../../core/shared/ids.ts";
import type { Views } from "../../ports/views.ts";
import { createDatabase } from "../support/database.ts";

const many = 100_000;
/** Tables that grow without end. */
const big = [
  "issues",
  "comments",
  "interactions",
  "documents",
  "document_revisions",
  "attachments",
  "activity",
  "runs",
  "issue_labels",
];

let sql: Sql;
let views: Views;
let drop: () => Promise<void>;
const sent: { text: string; values: unknown[] }[] = [];
let at: { company: CompanyId; issue: IssueId; agent: AgentId; project: ProjectId; label: LabelId };

beforeAll(async () => {
  const database = await createDatabase();
  drop = database.drop;
  sql = postgres(database.url, {
    max: 3,
    onnotice: () => {},
    transform: { undefined: null, column: { from: postgres.toCamel } },
    debug: (_connection, text, values) => {
      sent.push({ text, values: values as unknown[] });
    },
  });
  views = postgresViews(databaseOf(sql));
  at = await fill(sql);
  sent.length = 0;
}, 180_000);
afterAll(async () => {
  await sql?.end({ timeout: 5 });
  await drop?.();
});

/** Four companies, of which one has most; ids in order of creation. */
const fill = async (sql: Sql) => {
  await sql`
    insert into companies (id, name, status, issue_prefix, created_at, updated_at)
    select  gen_random_uuid(), 'C' || n, 'active', 'C' || chr(64 + n), now(), now()
    from    generate_series(1, 4) n
  `;
  const [company] = await sql<{ id: CompanyId }[]>`select id from companies where issue_prefix = 'CA'`;
  const id = company!.id;
  await sql`
    insert into agents (id, company_id, name, url_key, role, standing, adapter_type, adapter_config, runtime_config, created_at, updated_at)
    select  gen_random_uuid(), ${id}, 'A' || n, 'a' || n, 'r', 'active', 'process', '{}', '{}', now(), now()
    from    generate_series(1, 50) n
  `;
  await sql`
    insert into projects (id, company_id, name, status, created_at, updated_at)
    select  gen_random_uuid(), ${id}, 'P' || n, 'planned', now(), now()
    from    generate_series(1, 50) n
  `;
  await sql`
    insert into issues (id, company_id, identifier, title, description, status, priority, assignee_agent_id, project_id, last_activity_at, created_at, updated_at)
    select  gen_random_uuid(), c.id, c.issue_prefix || '-' || n, 'Issue about thing ' || n % 997, 'Word' || n % 5003 || ' and more',
            (array['backlog', 'todo', 'in_review', 'done', 'blocked'])[1 + n % 5],
            (array['critical', 'high', 'medium', 'low'])[1 + n % 4],
            case when c.issue_prefix = 'CA' and n % 3 = 0 then (array(select a.id from agents a order by a.id))[1 + n % 50] end,
            case when c.issue_prefix = 'CA' then (array(select p.id from projects p order by p.id))[1 + n % 50] end,
            now() - n * interval '1 minute', now(), now()
    from    generate_series(1, ${many}) n
    join    companies c on c.issue_prefix = (array['CA', 'CA', 'CA', 'CB', 'CC', 'CD'])[1 + n % 6]
  `;
  await sql`
    update  issues child
    set     parent_id = parent.id
    from    (select id, row_number() over (order by id) as n from issues where company_id = ${id} limit 500) parent,
            (select id, row_number() over (order by id desc) as n from issues where company_id = ${id} limit 5000) c
    where   child.id = c.id
    and     parent.n = 1 + c.n % 500
    and     child.id <> parent.id
  `;
  await sql`
    insert into comments (id, company_id, issue_id, body, created_at, updated_at)
    select gen_random_uuid(), company_id, id, 'Comment on ' || title, now(), now() from issues
  `;
  await sql`
    insert into interactions (id, company_id, issue_id, kind, status, continuation_policy, payload, ends_by_comment, created_at, updated_at)
    select gen_random_uuid(), company_id, id, 'request_confirmation', 'pending', 'none', '{}', true, now(), now() from issues
  `;
  await sql`
    insert into documents (id, company_id, issue_id, key, format, body, latest_revision_id, latest_revision_number, created_at, updated_at)
    select gen_random_uuid(), company_id, id, 'plan', 'markdown', 'Plan of ' || title, gen_random_uuid(), 1, now(), now() from issues
  `;
  await sql`
    insert into document_revisions (id, company_id, document_id, revision_number, format, body, created_at)
    select latest_revision_id, company_id, id, 1, format, body, created_at from documents
  `;
  await sql`
    insert into labels (id, company_id, name, created_at)
    select gen_random_uuid(), ${id}, 'L' || n, now() from generate_series(1, 100) n
  `;
  await sql`
    insert into issue_labels (company_id, issue_id, label_id)
    select  ${id}, i.id, (array(select l.id from labels l order by l.id))[1 + row_number() over () % 100]
    from    issues i
    where   i.company_id = ${id}
  `;
  await sql`
    insert into assets (id, company_id, purpose, provider, blob_key, content_type, byte_size, sha256, created_at)
    select id, company_id, 'attachment', 'local_disk', id::text, 'text/plain', 1, 'x', now() from issues
  `;
  await sql`
    insert into attachments (id, company_id, issue_id, asset_id, created_at)
    select gen_random_uuid(), company_id, id, id, now() from issues
  `;
  await sql.unsafe("vacuum analyze");
  const [issue] = await sql<
    { id: IssueId; parentId: IssueId; projectId: ProjectId; assigneeAgentId: AgentId }[]
  >`
    select id, parent_id, project_id, assignee_agent_id
    from issues where parent_id is not null and assignee_agent_id is not null limit 1
  `;
  const [label] = await sql<{ id: LabelId }[]>`select id from labels limit 1`;
  return {
    company: id,
    issue: issue!.parentId,
    agent: issue!.assigneeAgentId,
    project: issue!.projectId,
    label: label!.id,
  };
};

interface Plan {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly Plan[];
}

const scannedWhole = (plan: Plan): string[] => [
  ...(plan["Node Type"] === "Seq Scan" && big.includes(plan["Relation Name"] ?? "")
    ? [plan["Relation Name"]!]
    : []),
  ...(plan.Plans ?? []).flatMap(scannedWhole),
];

/** What the view asked, explained with the values it asked with. */
const explained = async (ask: () => Effect.Effect<unknown, unknown>): Promise<string[]> => {
  sent.length = 0;
  await Effect.runPromise(ask());
  const asked = sent.filter(({ text }) => /^\s*(with|select)/i.test(text) && !text.includes("pg_catalog"));
  expect(asked.length).toBeGreaterThan(0);
  const scanned: string[] = [];
  for (const { text, values } of asked) {
    const [row] = await sql.unsafe(`explain (format json) ${text}`, values as never[]);
    const plans = Object.values(row as object)[0] as [{ Plan: Plan }];
    scanned.push(...scannedWhole(plans[0].Plan));
  }
  return scanned;
};

const page = { limit: 100 };

describe(`With ${many} issues, no list reads a big table from end to end`, () => {
  const lists: Record<string, () => Effect.Effect<unknown, unknown>> = {
    "issues of a company": () => views.issues.list({ companyId: at.company, sort: "priority" }, page),
    "issues as they were created": () => views.issues.list({ companyId: at.company, sort: "created" }, page),
    "issues in a status": () =>
      views.issues.list({ companyId: at.company, statuses: ["todo", "blocked"], sort: "priority" }, page),
    "issues of an agent": () =>
      views.issues.list({ companyId: at.company, assigneeAgentId: at.agent, sort: "priority" }, page),
    "issues nobody owns": () =>
      views.issues.list({ companyId: at.company, assigneeAgentId: null, sort: "priority" }, page),
    "issues of a project": () =>
      views.issues.list({ companyId: at.company, projectId: at.project, sort: "priority" }, page),
    "children of an issue": () =>
      views.issues.list({ companyId: at.company, parentId: at.issue, sort: "priority" }, page),
    "issues with a label": () =>
      views.issues.list({ companyId: at.company, labelIds: [at.label], sort: "priority" }, page),
    "issues with words": () =>
      views.issues.list({ companyId: at.company, q: "word17 thing", sort: "priority" }, page),
    "a search": () => views.search.issues(at.company, "word17", page),
    "a count of a project": () => views.issues.count({ companyId: at.company, projectId: at.project }),
    "one issue with all that hangs on it": () => views.issues.get(at.issue),
    comments: () => views.issues.comments(at.issue, "desc", page),
    cards: () => views.thread.interactions(at.issue, ["pending"], page),
    documents: () => views.thread.documents(at.issue),
    "a document": () => views.thread.document(at.issue, "plan"),
    "revisions of a document": () => views.thread.revisions(at.issue, "plan", page),
    attachments: () => views.files.attachments(at.issue, page),
  };

  it("and one that did would be noticed", async () => {
    const whole = () => Effect.promise(() => sql`select id from issues where billing_code = 'x'`);
    expect(await explained(whole)).toEqual(["issues"]);
  });

  it.each(Object.keys(lists))("%s", async (name) => {
    expect(await explained(lists[name]!)).toEqual([]);
  });
});
