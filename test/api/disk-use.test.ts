import { randomUUID } from "node:crypto";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { measureDisk } from "../../core/companies/measure-disk.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { fileForm } from "../support/file-form.ts";
import { aTree } from "../support/one-of-each.ts";

let api: ApiService;
let sql: ReturnType<typeof openDatabase>;
let now = "2026-11-23T10:00:00.000Z";
beforeAll(async () => {
  api = await startApi();
  sql = openDatabase(api.databaseUrl, { max: 2, idleInTransactionSec: 60 });
  // Of the service's own first measurement.
  await sql`delete from instance_settings where name = 'disk'`;
});
afterAll(async () => {
  await sql?.end();
  await api?.stop();
});

const measure = () => {
  const clock = { now: () => now };
  return Effect.runPromise(
    measureDisk({ transactor: postgresAdapters(sql, clock).transactor, clock, ids: uuidIds })(),
  );
};
const shown = async () => (await api.request("GET", "/api/health")).body.disk;

describe("The disk that companies use", () => {
  it("is shown to instance admins by company and kind, with what to do about most of it", async () => {
    const [small, large] = [await api.company("Small"), await api.company("Large")];
    const issue = await api.issue(large.id, { title: "With a file" });
    await api.make(
      `/api/companies/${large.id}/issues/${issue.id}/attachments`,
      fileForm("x".repeat(3_000_000)),
    );
    for (let n = 0; n < 3; n++) await api.issue(small.id, { title: `Without ${n}` });
    await measure();
    const { at, companies } = await shown();
    expect(at).toBe(now);
    expect(companies[0]).toMatchObject({ companyName: "Large", files: 3_000_000, logs: 0 });
    expect(companies[0].advice).toContain("attachments");
    const [ofLarge, ofSmall] = ["Large", "Small"].map((name) =>
      companies.find(({ companyName }: { companyName: string }) => companyName === name),
    );
    // Three issues take about three times as much as one.
    expect(ofSmall.work).toBeGreaterThan(ofLarge.work);
    for (const use of [ofLarge, ofSmall]) {
      const { files, logs, runs, activity, costs, work, bytes } = use;
      expect(bytes).toBe(files + logs + runs + activity + costs + work);
    }
  });

  it("is shown by project, too, with what of its workspaces may go", async () => {
    const company = await api.company("Harbour");
    const { id: projectId } = await api.make(`/api/companies/${company.id}/projects`, { name: "Crane" });
    const aWorkspace = async (bytes: number, change: object = {}) => {
      const issue = await api.issue(company.id, { projectId });
      const id = await aTree({ sql }, company.id, issue.id);
      await sql`update issue_workspaces set ${sql({ made_at: now, bytes, ...change })} where id = ${id}`;
    };
    await aWorkspace(1_000);
    await aWorkspace(20_000);
    await aWorkspace(300_000, { problem: "The disk was full.", uncaptured_run_id: randomUUID() });
    await aWorkspace(4_000_000, { made_at: null });
    await sql`
      insert into repositories (id, company_id, project_id, url, default_branch, mode, checked_at, created_at, updated_at, store_bytes)
      values (${randomUUID()}, ${company.id}, ${projectId}, 'https://git.invalid/r.git', 'main', 'issue', now(), now(), now(), 5000)
    `;
    await sql`delete from instance_settings where name = 'disk'`;
    await measure();
    const { projects } = await shown();
    expect(projects).toEqual([
      {
        companyId: company.id,
        companyName: "Harbour",
        projectId,
        projectName: "Crane",
        bytes: 326_000,
        workspaces: 321_000,
        mayGo: 21_000,
        workspacesThatMayGo: 2,
        repositories: 5_000,
        advice: "2 workspaces can be removed (workspaces remove).",
      },
    ]);
  });

  it("is measured once an hour by one of several services", async () => {
    const before = await shown();
    await api.company("Later");
    now = "2026-11-23T10:59:00.000Z";
    await measure();
    expect(await shown()).toEqual(before);
    now = "2026-11-23T11:00:01.000Z";
    await Promise.all([measure(), measure()]);
    const { at, companies } = await shown();
    expect([at, companies.length]).toEqual([now, before.companies.length + 1]);
  });
});
