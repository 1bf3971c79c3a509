import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import pc from "picocolors";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  companyTables,
  staysBehind,
  TableUnassigned,
} from "../../adapters-infra/postgres/company-move/company-tables.ts";
import { rowsIn } from "../../adapters-infra/postgres/company-move/read-company.ts";
import { cli } from "../../hosts/cli/cli.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { furnish, secretValue } from "../support/backup-cases.ts";
import { type ChangeOfCompany, changedCompany } from "../support/changed-company.ts";
import { fileForm } from "../support/file-form.ts";
import { times } from "../support/sample.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const passphrase = "correct horse battery staple";
const plainSecret = "sk-a-plain-key-that-a-person-wrote-into-settings";
let api: ApiService;
let scratch: string;
let companyId: string;
let neighbourId: string;
let sealed: string;
let clear: string;

const boardroom = async (...args: readonly string[]) => {
  let [out, err] = ["", ""];
  const code = await cli(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stdin: async () => "",
    env: {
      SERVICE_DATABASE_DURABLE: "false",
      SERVICE_DATA_DIR: api.dataDir,
      DATABASE_URL: api.databaseUrl,
      SERVICE_SECRETS_MASTER_KEY: "5a".repeat(32),
    },
    width: null,
    colors: pc.createColors(false),
    now: () => new Date(),
  });
  return { code, out, err };
};
const withPassphrase = () => ["--passphrase-file", join(scratch, "passphrase")];
const imported = async (file: string, name: string, ...args: readonly string[]) => {
  const { code, out, err } = await boardroom("companies", "import", file, "--name", name, "--json", ...args);
  expect(err).toBe("");
  expect(code).toBe(0);
  return JSON.parse(out) as {
    readonly companyId: string | null;
    readonly issuePrefix: string;
    readonly wanted: Readonly<Record<string, readonly string[]>>;
    readonly rows: Readonly<Record<string, number>>;
  };
};

const fragment = fc.oneof(
  fc.constantFrom(
    "words ",
    "\n",
    "\t",
    "\\N",
    "\\",
    "\r\n",
    '"',
    "\\n",
    "'",
    "é",
    "\u{1f6a2}",
    "OTHER-1 ",
    "{{env.X}} ",
  ),
  fc.record({ id: fc.nat(9) }),
  fc.record({ identifier: fc.nat(9) }),
  fc.uuid().map((id) => ` ${id} `),
);
/** Words, escapes, and ids and identifiers of records, each apart from what stands next to it. */
const planned = fc.array(fragment, { maxLength: 12 });
type Planned = typeof planned extends fc.Arbitrary<infer A> ? A : never;

const at9 = fc.option(fc.nat(9));
const aPlannedCompany = fc.record({
  agents: fc.array(fc.record({ name: planned, boss: at9, note: planned }), { minLength: 1, maxLength: 4 }),
  projects: fc.array(fc.record({ text: planned, lead: at9 }), { minLength: 1, maxLength: 3 }),
  issues: fc.array(
    fc.record({
      text: planned,
      assignee: at9,
      project: at9,
      parent: at9,
      blocker: at9,
      comments: fc.array(planned, { maxLength: 2 }),
      document: fc.option(fc.array(planned, { minLength: 1, maxLength: 2 })),
      file: fc.option(fc.uint8Array({ minLength: 1, maxLength: 50 })),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  routines: fc.array(
    fc.record({ text: planned, assignee: fc.nat(9), cron: fc.constantFrom("0 8 * * 1", "@daily") }),
    {
      maxLength: 2,
    },
  ),
  costs: fc.array(fc.record({ agent: fc.nat(9), issue: at9, cents: fc.option(fc.nat(500)) }), {
    maxLength: 4,
  }),
});

const makePlanned = async (
  companyId: string,
  plan: typeof aPlannedCompany extends fc.Arbitrary<infer A> ? A : never,
) => {
  const made: { readonly id: string; readonly identifier: string }[] = [];
  const pick = <T>(list: readonly T[], at: number | null): T | null =>
    at === null || list.length === 0 ? null : list[at % list.length]!;
  const textOf = (of: Planned): string =>
    `x ${of
      .map((each) => {
        if (typeof each === "string") return each;
        return ` ${"id" in each ? pick(made, each.id)?.id : pick(made, each.identifier)?.identifier} `;
      })
      .join("")}`;
  const nameOf = (of: Planned) => textOf(of).replace(/\s+/g, " ").slice(0, 60).toWellFormed().trim();
  const agents: string[] = [];
  for (const { name, boss, note } of plan.agents) {
    const reportsTo = pick(agents, boss);
    const { id } = await api.agent(companyId, {
      name: `${agents.length} ${nameOf(name)}`,
      reportsTo,
      metadata: { note: textOf(note), of: [reportsTo] },
    });
    agents.push(id);
  }
  const projects: string[] = [];
  for (const { text, lead } of plan.projects)
    projects.push(
      (
        await api.make(`/api/companies/${companyId}/projects`, {
          name: `${projects.length} ${nameOf(text)}`,
          description: textOf(text),
          leadAgentId: pick(agents, lead),
        })
      ).id,
    );
  for (const issue of plan.issues) {
    const [parent, blocker] = [pick(made, issue.parent), pick(made, issue.blocker)];
    const one = await api.issue(companyId, {
      title: nameOf(issue.text),
      description: textOf(issue.text),
      assigneeAgentId: pick(agents, issue.assignee),
      projectId: pick(projects, issue.project),
      parentId: parent?.id ?? null,
      blockedByIssueIds: blocker === null ? [] : [blocker.id],
    });
    made.push(one);
    for (const body of issue.comments)
      await api.make(`/api/issues/${one.id}/comments`, { body: textOf(body) });
    let baseRevisionId: string | undefined;
    for (const body of issue.document ?? [])
      baseRevisionId = (
        await api.put(`/api/issues/${one.id}/documents/plan`, { body: textOf(body), baseRevisionId })
      ).body.latestRevisionId;
    if (issue.file !== null)
      await api.make(
        `/api/companies/${companyId}/issues/${one.id}/attachments`,
        fileForm(Buffer.from(issue.file).toString("base64")),
      );
  }
  for (const { text, assignee, cron } of plan.routines) {
    const { id } = await api.make(`/api/companies/${companyId}/routines`, {
      title: nameOf(text),
      description: textOf(text),
      assigneeAgentId: pick(agents, assignee),
      projectId: projects[0],
    });
    await api.make(`/api/routines/${id}/triggers`, {
      kind: "schedule",
      cronExpression: cron,
      timezone: "UTC",
    });
  }
  for (const { agent, issue, cents } of plan.costs)
    await api.make(`/api/companies/${companyId}/cost-events`, {
      ...{ agentId: pick(agents, agent), provider: "p", model: "m", inputTokens: 3 },
      ...(cents === null ? {} : { costCents: cents }),
      ...(issue === null ? {} : { issueId: pick(made, issue)!.id }),
    });
};

/** All rows of a company, by table. */
const rowsOf = async (sql: postgres.Sql, id: string) => {
  const tables = await companyTables(sql);
  const rows: Record<string, readonly Record<string, unknown>[]> = {};
  for (const table of tables) {
    const query = rowsIn(table, tables, id);
    rows[table.name] = (await sql.unsafe(`select to_jsonb(t) as row from (${query}) t`)).map(
      ({ row }) => row as Record<string, unknown>,
    );
  }
  return rows;
};

/** Fields of the copy that are not the original's, with the reason in `copiedFields`. */
const ofTheCopy: Readonly<Record<string, readonly string[]>> = {
  agents: ["granted_paths", "next_timer_at"],
  assets: ["blob_key"],
  board_users: ["disabled_at", "is_admin"],
  companies: ["issue_prefix", "name", "status", "updated_at"],
  issues: ["checkout_run_id", "held_since"],
  pull_requests: ["state"],
  repositories: ["allow_private_host"],
  run_messages: ["state"],
  // Those of the fixture name runs that are gone.
  run_works: ["run_id", "workspace_id"],
  routine_triggers: ["next_fire_at", "public_id", "scheduled_at"],
  run_log_segments: ["blob_key"],
  runs: [
    "finished_at",
    "process",
    "reach",
    "service_id",
    "status",
    "stop_reason",
    "stop_requested_at",
    "volume",
    "waits_for",
  ],
  wakes: ["end_reason", "ended_at", "status"],
};

beforeAll(async () => {
  api = await startApi({ env: { SERVICE_SECRETS_MASTER_KEY: "5a".repeat(32) } });
  scratch = await mkdtemp(join(tmpdir(), "company-move-"));
  await writeFile(join(scratch, "passphrase"), `${passphrase}\n`);
  ({ companyId } = await furnish(api, 26));
  const agent = await api.agent(companyId, {
    adapterConfig: { command: "/bin/true", env: { API_KEY: plainSecret } },
  });
  await api.issue(companyId, { title: "Refers", description: `See ${agent.id}.` });
  await api.sql`
    insert into run_events (company_id, run_id, seq, type, payload, created_at)
    select company_id, id, 99, 'lifecycle', jsonb_build_object('of', id), now() from runs where company_id = ${companyId}
  `;
  const neighbour = await api.company("Neighbour");
  neighbourId = neighbour.id;
  await api.issue(neighbourId, { title: "words-of-the-neighbour" });
  sealed = join(scratch, "sealed.boardroom");
  clear = join(scratch, "clear.boardroom");
  for (const [file, ...args] of [[sealed, ...withPassphrase()], [clear]] as const) {
    const done = await boardroom("companies", "export", companyId, "--full", "--to", file, ...args);
    expect(done.err).toBe("");
    expect(done.code).toBe(0);
  }
});
afterAll(async () => {
  await api?.stop();
  await rm(scratch, { recursive: true, force: true });
});

describe("A company moved with its history", () => {
  it("assigns each table of the schema to a company or gives a reason", async () => {
    const moved = (await companyTables(api.sql)).map(({ name }) => name);
    expect(moved.filter((name) => staysBehind[name] !== undefined)).toEqual([]);
    const { sql } = api;
    await sql
      .begin(async (tx) => {
        await tx`create table forgotten (id uuid primary key)`;
        await expect(companyTables(tx as unknown as postgres.Sql)).rejects.toBeInstanceOf(TableUnassigned);
        throw new Error("undone");
      })
      .catch((error: Error) => expect(error.message).toBe("undone"));
  });

  const expectSame = async (companyId: string, copy: Awaited<ReturnType<typeof imported>>) => {
    const before = await rowsOf(api.sql, companyId);
    const after = await rowsOf(api.sql, copy.companyId!);
    const ids = new Map<string, string>([[companyId, copy.companyId!]]);
    const prefix = String(before.companies![0]!.issue_prefix);
    for (const [table, rows] of Object.entries(before)) {
      const news = new Map(after[table]!.map(({ id }) => [String(id).slice(0, 26), String(id)]));
      for (const { id } of rows)
        if (typeof id === "string") ids.set(id, news.get(id.slice(0, 26)) ?? `no copy of ${table} ${id}`);
    }
    // The activity names event subscriptions, which stay behind.
    const named = new Map(
      after.activity!.map(({ entity_id }) => [String(entity_id).slice(0, 26), String(entity_id)]),
    );
    for (const { entity_type, entity_id } of before.activity!)
      if (entity_type === "event_subscription")
        ids.set(String(entity_id), named.get(String(entity_id).slice(0, 26))!);
    expect([...ids].filter(([old, own]) => old === own)).toEqual([]);
    const moved = (table: string, rows: readonly Record<string, unknown>[]) =>
      rows
        .filter(({ action }) => action !== "company.imported")
        .map((row) => {
          const retained = Object.entries(row).filter(([name]) => !ofTheCopy[table]?.includes(name));
          return JSON.stringify(Object.fromEntries(retained));
        });
    for (const [table, rows] of Object.entries(before)) {
      const expected = moved(table, rows).map((text) => {
        const withIds = text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => ids.get(id) ?? id);
        return ["issues", "comments", "comment_revisions", "documents", "document_revisions"].includes(table)
          ? withIds.replaceAll(new RegExp(`\\b${prefix}-(?=[1-9])`, "g"), `${copy.issuePrefix}-`)
          : withIds;
      });
      expect(moved(table, after[table]!).sort(), table).toEqual(expected.sort());
    }
  };

  it("is the same in every field, with ids of its own", async () => {
    await expectSame(companyId, await imported(sealed, "The copy", ...withPassphrase()));
  });

  it("is the same in every field, whatever its issues, agents, plans and costs are and name", async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(aPlannedCompany, async (plan) => {
        number += 1;
        const { id } = await api.company(`Generated ${number}`);
        await makePlanned(id, plan);
        const file = join(scratch, `generated-${number}`);
        // It has no secret, so nothing is missing without a passphrase, whose key takes half a second.
        const exported = async (company: string) => {
          const { code, err } = await boardroom("companies", "export", company, "--full", "--to", file);
          expect([code, err]).toEqual([0, ""]);
        };
        await exported(id);
        const copy = await imported(file, `Copy ${number}`);
        await expectSame(id, copy);
        // A copy of a copy, under a prefix that the texts name already.
        await exported(copy.companyId!);
        await expectSame(copy.companyId!, await imported(file, `Again ${number}`));
      }),
      { numRuns: times(4, 40) },
    );
  });

  it("has an SVG of its file as a file like any other, not as its logo", async () => {
    const path = join(scratch, "logo");
    await changedCompany(clear, path, {
      rows: { assets: (row) => Object.assign(row, { purpose: "logo", content_type: "image/svg+xml" }) },
    });
    const { companyId: id } = await imported(path, "Painted");
    const purposes = await api.sql`select distinct purpose from assets where company_id = ${id}`;
    expect(purposes).toEqual([{ purpose: "attachment" }]);
  });

  it("has every file and log, by keys of its own", async () => {
    const copy = await imported(sealed, "With files", ...withPassphrase());
    const [file] = await api.sql<{ id: string; sha256: string; blobKey: string }[]>`
      select a.id, a.sha256, a.blob_key as "blobKey" from attachments t join assets a on a.id = t.asset_id
      where  t.company_id = ${copy.companyId} limit 1
    `;
    const { createHash } = await import("node:crypto");
    const bytes = await readFile(join(api.dataDir, "blobs", file!.blobKey));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(file!.sha256);
    const [log] = await api.sql<{ blobKey: string }[]>`
      select blob_key as "blobKey" from run_log_segments where company_id = ${copy.companyId} limit 1
    `;
    expect(await readFile(join(api.dataDir, "blobs", log!.blobKey), "utf8")).toBe("one log line\n");
    expect(await api.sql`select from loose_blobs where blob_key like 'moved/%'`).toHaveLength(0);
  });

  it("is paused, runs nothing, fires nothing that was missed, and takes new issues", async () => {
    const copy = await imported(sealed, "Held", ...withPassphrase());
    const company = (await api.get(`/api/companies/${copy.companyId}`)).body;
    expect(company).toMatchObject({ name: "Held", status: "paused" });
    const live = await api.sql`
      select from runs where company_id = ${copy.companyId} and status in ('queued', 'running')
      union all select from wakes where company_id = ${copy.companyId} and status = 'pending'
      union all select from routine_triggers where company_id = ${copy.companyId} and next_fire_at <= now()
      union all select from routine_triggers where company_id = ${copy.companyId} and sealed_secret is not null
      union all select from agent_keys where company_id = ${copy.companyId}
    `;
    expect(live).toHaveLength(0);
    const issue = await api.issue(copy.companyId!, { title: "New" });
    expect(issue.identifier).toMatch(new RegExp(`^${copy.issuePrefix}-`));
  });

  it("opens its secrets where the file is encrypted, and asks for them where it is not", async () => {
    const { companyId: withValues, wanted } = await imported(sealed, "Values", ...withPassphrase());
    expect(wanted.secrets).toEqual([]);
    const { companyId: without, wanted: missing } = await imported(clear, "No values");
    expect(missing.secrets).toContain("Hidden");
    expect(missing.webhooks).toEqual(["R"]);
    const states = await api.sql<{ companyId: string; isDisabled: boolean }[]>`
      select v.company_id as "companyId", v.disabled_at is not null as "isDisabled"
      from   secret_versions v join secrets s on s.id = v.secret_id
      where  s.name = 'Hidden' and v.company_id in ${api.sql([withValues!, without!])}
      order by 2
    `;
    expect(states).toEqual([
      { companyId: withValues, isDisabled: false },
      { companyId: without, isDisabled: true },
    ]);
  });

  it("has nothing of another company in its file, and without a passphrase no secret", async () => {
    const { gunzipSync } = await import("node:zlib");
    const text = gunzipSync(await readFile(clear)).toString("latin1");
    expect(text).toContain("Refers");
    expect(text).not.toContain("words-of-the-neighbour");
    expect(text).not.toContain(neighbourId);
    expect(text).not.toContain(secretValue);
    expect(text).not.toContain(plainSecret);
    const hashes = await api.sql<{ hash: string }[]>`select encode(hash, 'hex') as hash from board_tokens`;
    for (const { hash } of hashes) expect(text).not.toContain(hash);
    expect((await readFile(sealed)).includes("Refers")).toBe(false);
  });

  it("is shown by a trial, which writes nothing", async () => {
    const count = async () =>
      (await api.sql<{ count: number }[]>`select count(*)::int as count from companies`)[0]!.count;
    const before = await count();
    const trial = await imported(clear, "Trial", "--dry-run");
    expect(trial.companyId).toBeNull();
    expect(trial.rows.issues).toBeGreaterThan(60);
    expect(await count()).toBe(before);
    expect(await api.sql`select from loose_blobs where blob_key like 'moved/%'`).toHaveLength(0);
  });

  describe("is refused in one sentence, and nothing is written", () => {
    const refused = async (file: string, ...args: readonly string[]) => {
      const { code, err } = await boardroom("companies", "import", file, "--name", "Refused", ...args);
      expect(code).not.toBe(0);
      expect(err.trim().split("\n")).toHaveLength(1);
      expect(await api.sql`select from companies where name = 'Refused'`).toHaveLength(0);
      return err;
    };
    const variant = async (name: string, change: (bytes: Buffer) => Buffer) => {
      const path = join(scratch, name);
      await writeFile(path, change(await readFile(clear)));
      return path;
    };

    it("with another passphrase, or none", async () => {
      await writeFile(join(scratch, "other"), "another passphrase\n");
      expect(await refused(sealed, "--passphrase-file", join(scratch, "other"))).toMatch(/passphrase/);
      expect(await refused(sealed)).toMatch(/--passphrase-file/);
    });

    it("where it is truncated, or a byte differs", async () => {
      expect(await refused(await variant("short", (all) => all.subarray(0, all.length - 100)))).toMatch(
        /truncated|changed/,
      );
      const flipped = await variant("flipped", (all) => {
        const copy = Buffer.from(all);
        copy[Math.floor(copy.length / 2)]! ^= 1;
        return copy;
      });
      expect(await refused(flipped)).toMatch(/truncated|changed/);
    });

    const neighbours = "0193b3c0-0000-7000-8000-000000000001";
    const hostile: Readonly<Record<string, readonly [ChangeOfCompany, RegExp]>> = {
      "a repository at a program": [
        { rows: { repositories: (row) => (row.url = "ext::sh -c date") } },
        /repository with an address/,
      ],
      "a repository of this machine's files": [
        { rows: { repositories: (row) => (row.url = "file:///etc") } },
        /repository with an address/,
      ],
      "an interface of a host at this machine's files": [
        { rows: { repositories: (row) => (row.host_api_url = "file:///etc") } },
        /repository with an address/,
      ],
      "a folder outside of the workspace": [
        { rows: { repositories: (row) => (row.directory = "../../elsewhere") } },
        /a folder/,
      ],
      "a part outside of the repository": [
        { rows: { repositories: (row) => (row.sparse_folders = "{../x}") } },
        /repository with an address/,
      ],
      "an author of two lines": [
        { rows: { repositories: (row) => (row.author_name = "a\\nb") } },
        /repositories\.author_name/,
      ],
      "a branch for all issues": [
        { rows: { repositories: (row) => (row.branch_pattern = "main") } },
        /repositories\.branch_pattern/,
      ],
      "an option of git as a branch": [
        { rows: { issue_branches: (row) => (row.base_branch = "--upload-pack=date") } },
        /branch or a commit/,
      ],
      "an option of git as a commit": [
        { rows: { run_works: (row) => (row.files = "--output=/tmp/x") } },
        /branch or a commit/,
      ],
      "an agent of another company in a list": [
        { rows: { mcp_servers: (row) => (row.agent_ids = `{${neighbours.toUpperCase()}}`) } },
        /not as an export writes them/,
      ],
      "an MCP server of no protocol": [
        { rows: { mcp_servers: (row) => (row.url = "file:///etc/passwd") } },
        /MCP server/,
      ],
      "settings of another type": [
        { rows: { agents: (row) => (row.runtime_config = '{"heartbeat": {"intervalSec": "1"}}') } },
        /an agent with settings/,
      ],
      "a name of an agent in an address that is none": [
        { rows: { agents: (row) => (row.url_key = `<${row.url_key}>`) } },
        /an agent with settings/,
      ],
      "an adapter with a path": [
        { rows: { agents: (row) => (row.adapter_type = "../../tmp/adapter") } },
        /an agent with settings/,
      ],
      "an agent on a runner with a path": [
        { rows: { agents: (row) => (row.runtime_config = '{"runner": "../../etc/passwd"}') } },
        /an agent with settings/,
      ],
      "a company on a runner with a path": [
        { rows: { companies: (row) => (row.runner = "../../etc/passwd") } },
        /a runner/,
      ],
      "metadata nested 3,000 levels deep": [
        { rows: { agents: (row) => (row.metadata = `${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`) } },
        /an agent with settings/,
      ],
      "settings with 90,000 keys": [
        {
          rows: {
            agents: (row) =>
              (row.adapter_config = JSON.stringify(
                Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`k${n}`, 0])),
              )),
          },
        },
        /an agent with settings/,
      ],
      "a name of an agent that is too long": [
        { rows: { agents: (row) => (row.name = "x".repeat(501)) } },
        /an agent with settings/,
      ],
      "a request to people nested 3,000 levels deep": [
        { rows: { interactions: (row) => (row.payload = `${'{"a":'.repeat(3_000)}1${"}".repeat(3_000)}`) } },
        /a request to people/,
      ],
      "a reference to a record that it does not have": [
        { rows: { comments: (row) => (row.issue_id = neighbours) } },
        /comments/,
      ],
      "an id that is no id": [{ rows: { issues: (row) => (row.id = "1") } }, /not as an export writes them/],
      "a number too large": [
        { rows: { cost_events: (row) => (row.cost_cents = "9".repeat(30)) } },
        /cost_events/,
      ],
      "words of the file with control characters": [
        { rows: { cost_events: (row) => (row.cost_cents = "\u001b[2J\u001b[31m") } },
        /cost_events/,
      ],
      "a state that is none": [{ rows: { runs: (row) => (row.status = "won") } }, /runs/],
      "JSON that is none": [{ rows: { runs: (row) => (row.context = "{") } }, /runs/],
      "an identifier beyond all": [
        { rows: { issues: (row) => (row.identifier = "A-99999999999999999999") } },
        /names an issue/,
      ],
      "a file with other bytes than its record says": [
        { rows: { assets: (row) => (row.sha256 = "0".repeat(64)) } },
        /other bytes than its record/,
      ],
      "a file of another length than its record says": [
        { rows: { assets: (row) => (row.byte_size = "1") } },
        /other bytes than its record/,
      ],
      "a file whose type is a second header": [
        { rows: { assets: (row) => (row.content_type = "text/html\\r\\nSet-Cookie: a=b") } },
        /a file with a type or a name/,
      ],
      "two companies": [
        {
          rows: {},
          part: (name, data) => (name.startsWith("tables/companies/") ? Buffer.concat([data, data]) : data),
        },
        /exactly one company/,
      ],
      "another company than it says": [
        { manifest: ({ company }) => Object.assign(company!, { id: neighbours }) },
        /exactly one company/,
      ],
      "a table of the service": [
        { manifest: ({ tables }) => Object.assign(tables[0]!, { name: "board_tokens" }) },
        /not those of its schema/,
      ],
      "a column more": [
        { manifest: ({ tables }) => (tables[0]!.columns as string[]).push("is_admin") },
        /not those of its schema/,
      ],
      "a row with a field more": [
        { rows: { issues: (row) => (row.more = "1") } },
        /not as an export writes them/,
      ],
      "blobs with other bytes": [
        { part: (name, data) => (name.startsWith("blobs/") ? Buffer.alloc(data.length, 1) : data) },
        /other bytes than its record/,
      ],
      "rows of a table that it does not list": [
        { rename: (name) => name.replace("tables/companies/", "tables/board_tokens/") },
        /not as an export writes them/,
      ],
      "a newer schema": [
        {
          manifest: ({ migrations }) =>
            (migrations as object[]).push({ version: 100_000, checksum: "0".repeat(64) }),
        },
        /upgrade the service, then/,
      ],
      "a schema of a build before the baseline": [
        { manifest: ({ migrations }) => Object.assign(migrations[0]!, { version: 74 }) },
        /earlier build .* as a template/,
      ],
      "a schema of somebody else": [
        { manifest: ({ migrations }) => Object.assign(migrations[0]!, { checksum: "0".repeat(64) }) },
        /differs/,
      ],
    };
    it.each(Object.keys(hostile))("where it has %s", async (name) => {
      const [change, sentence] = hostile[name]!;
      const path = join(scratch, "hostile");
      await changedCompany(clear, path, change);
      const output = await refused(path);
      expect(output).toMatch(sentence);
      expect(output).not.toMatch(/\u001b/);
      await api.sql`delete from loose_blobs where blob_key like 'moved/%'`;
    });

    it("where it has an older schema", async () => {
      await api.sql`insert into schema_migrations (version, name, checksum) values (100, 'later', '')`;
      expect(await refused(clear)).toMatch(/then export it again/);
      await api.sql`delete from schema_migrations where version = 100`;
    });

    it("where it is a backup; and a restore refuses it", async () => {
      const { out } = await boardroom("backup", "--to", scratch, "--quiet");
      expect(await refused(out.trim())).toMatch(/boardroom restore/);
      const { err } = await boardroom("backup", "verify", clear);
      expect(err).toMatch(/companies import/);
    });
  });
});
