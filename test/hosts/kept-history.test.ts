import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { hurriedService } from "../support/hurried-service.ts";

const everyMs = 5 * 60_000;
const daySec = 24 * 60 * 60;

let database: TestDatabase;
let sql: postgres.Sql;
let directory: string;
beforeAll(async () => {
  [database, directory] = await Promise.all([createDatabase(), mkdtemp(join(tmpdir(), "boardroom-kept-"))]);
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

type Service = Awaited<ReturnType<typeof hurriedService>>;

const open = (name: string, env: Readonly<Record<string, string>>) =>
  hurriedService({ dataDir: join(directory, name), databaseUrl: database.url, everyMs }, env);

const nextRounds = async (service: Service, count: number) => {
  const before = service.rounds();
  await eventually(
    async () => service.rounds(),
    (rounds) => rounds >= before + count,
  );
};

/** A company with an agent whose runs print a line. */
const talkative = async ({ client }: Service) => {
  const { id: companyId } = await client.companies.create({ name: "Old" });
  const { id: agentId } = await client.agents.create({
    companyId,
    name: "Talker",
    adapterType: "process",
    adapterConfig: { command: "/bin/echo", args: ["said aloud"] },
  });
  return { companyId, agentId };
};

const finishedRun = async ({ client }: Service, agentId: string): Promise<string> => {
  const { id } = await client.agents.invoke({ agentId });
  await eventually(
    () => client.runs.get({ runId: id! }),
    ({ status }) => status === "succeeded",
  );
  return id!;
};

const blobsOf = async (runId: string): Promise<readonly string[]> =>
  (await sql`select blob_key from run_log_segments where run_id = ${runId}`).map((row) => row.blob_key);

const refusalOf = (asked: Promise<unknown>): Promise<{ status: number; code: string }> =>
  asked.then(
    () => ({ status: 200, code: "answered" }),
    ({ status, code }) => ({ status, code }),
  );

describe("A service that keeps history for a limited time", () => {
  let service: Service;
  beforeAll(async () => {
    service = await open("limited", {
      SERVICE_KEEP_RUN_DETAILS_DAYS: "30",
      SERVICE_KEEP_ACTIVITY_DAYS: "60",
      SERVICE_KEEP_COST_EVENTS_DAYS: "31",
    });
  });
  afterAll(() => service?.close());

  it("deletes events and logs of a run after their time, says so, and keeps the run", async () => {
    const { client } = service;
    const { companyId, agentId } = await talkative(service);
    const old = await finishedRun(service, agentId);
    expect((await client.runs.log({ runId: old })).content).toContain("said aloud");
    const files = (await blobsOf(old)).map((key) => join(directory, "limited", "blobs", key));
    expect(files.map(existsSync)).toEqual([true]);

    service.advance(29 * daySec);
    await nextRounds(service, 2);
    expect((await client.runs.get({ runId: old })).detailsDeletedAt).toBeNull();
    expect((await client.runs.log({ runId: old })).content).toContain("said aloud");

    const recent = await finishedRun(service, agentId);
    service.advance(2 * daySec);
    const run = await eventually(
      () => client.runs.get({ runId: old }),
      ({ detailsDeletedAt }) => detailsDeletedAt !== null,
    );
    expect(run).toMatchObject({ status: "succeeded", lastOutput: expect.stringContaining("said aloud") });
    const asked = [
      client.runs.log({ runId: old }),
      client.runs.events({ runId: old }),
      client.runs.transcript({ runId: old }),
    ];
    for (const refused of await Promise.all(asked.map(refusalOf)))
      expect(refused).toEqual({ status: 404, code: "run_details_deleted" });
    expect(await sql`select from run_events where run_id = ${old}`).toHaveLength(0);
    await eventually(
      async () => files.map(existsSync),
      ([there]) => there === false,
      { withinMs: 120_000 },
    );

    expect((await client.runs.log({ runId: recent })).content).toContain("said aloud");
    expect((await client.runs.events({ runId: recent })).items.length).toBeGreaterThan(2);
    const actions = (await client.activity.list({ companyId })).items.map(({ action }) => action);
    expect(actions).toContain("company.created");
  });

  it("deletes activity after its own time", async () => {
    const { client } = service;
    const { id: companyId } = await client.companies.create({ name: "Forgetful" });
    service.advance(61 * daySec);
    await client.projects.create({ companyId, name: "Of today" });
    const left = await eventually(
      () => client.activity.list({ companyId }),
      ({ items }) => items.length === 1,
    );
    expect(left.items[0]!.action).toBe("project.created");
  });

  it("folds cost events into their sums after the month of their time, and takes no more of them", async () => {
    const { client } = service;
    const { companyId, agentId } = await talkative(service);
    const { id: issueId } = await client.issues.create({ companyId, title: "Dear" });
    const cost = { companyId, agentId, issueId, provider: "p", model: "m" };
    const { occurredAt } = await client.costs.report({ ...cost, costCents: 7 });
    const from = `${occurredAt.slice(0, 10)}T00:00:00.000Z`;
    const to = new Date(Date.parse(from) + 5 * daySec * 1000).toISOString();
    const asked = { companyId, from, to };
    const figures = async () => [
      (await client.costs.summary(asked)).spendCents,
      (await client.costs.byIssue(asked)).map((row) => [row.issueId, row.costCents]),
      (await client.costs.byAgent(asked)).map((row) => [row.agentId, row.costCents]),
    ];
    const before = await figures();
    expect(before[0]).toBe(7);
    service.advance(65 * daySec);
    await eventually(
      () => client.costs.events(asked),
      ({ items }) => items.length === 0,
    );
    expect(await figures()).toEqual(before);
    const again = client.costs.report({ ...cost, costCents: 7, occurredAt });
    expect(await refusalOf(again)).toEqual({ status: 422, code: "costs_folded" });
  });

  it("begins a stream anew that continues before what was deleted, and continues any other", async () => {
    const { client } = service;
    const { id: companyId } = await client.companies.create({ name: "Followed" });
    const read = async (lastEventId?: string) => {
      for await (const event of client.system.events({ companyId }, lastEventId ? { lastEventId } : {}))
        if (event.event === "stream.opened" || event.data.entityType === "project") return event;
      throw new Error("the stream ended");
    };
    const before = await read();
    await client.projects.create({ companyId, name: "First" });
    const first = await read(before.id);
    expect(first).toMatchObject({ event: "activity.logged", data: { action: "project.created" } });

    service.advance(61 * daySec);
    await eventually(
      () => client.activity.list({ companyId }),
      ({ items }) => items.length === 0,
    );
    const { id: last } = await client.projects.create({ companyId, name: "Second" });
    const anew = await read(before.id);
    expect(anew).toMatchObject({ event: "stream.opened", data: { position: anew.id } });
    expect(await read(first.id)).toMatchObject({ event: "activity.logged", data: { entityId: last } });
  });

  it("reports in health what it keeps", async () => {
    expect((await service.client.system.health()).kept).toEqual({
      runDetailsDays: 30,
      activityDays: 60,
      costEventsDays: 31,
    });
  });
});

describe("A service without these settings", () => {
  it("keeps everything", async () => {
    const service = await open("unlimited", {});
    try {
      const { client } = service;
      const { companyId, agentId } = await talkative(service);
      const runId = await finishedRun(service, agentId);
      service.advance(10_000 * daySec);
      await nextRounds(service, 3);
      expect((await client.runs.log({ runId })).content).toContain("said aloud");
      expect((await client.activity.list({ companyId })).items.length).toBeGreaterThan(1);
      expect((await client.system.health()).kept).toEqual({
        runDetailsDays: null,
        activityDays: null,
        costEventsDays: null,
      });
    } finally {
      await service.close();
    }
  });
});
