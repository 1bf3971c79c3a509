import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { measureDisk } from "../../core/companies/measure-disk.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { fileForm } from "../support/file-form.ts";

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
  return Effect.runPromise(measureDisk(postgresAdapters(sql, clock).transactor, clock)());
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
