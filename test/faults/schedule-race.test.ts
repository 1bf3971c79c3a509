import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { times } from "../support/sample.ts";
import { startService, type TestService } from "../support/service.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { shareWorkspaces } from "../support/share-workspaces.ts";

/** A company with routines that fire often and start no process. */
const company = async (api: ApiService, routines: number) => {
  const { id: companyId } = await api.company();
  const { id: agentId } = await api.agent(companyId, {
    runtimeConfig: { heartbeat: { wakeOnDemand: false } },
  });
  const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: "P" });
  for (let n = 0; n < routines; n++)
    await api.make(`/api/companies/${companyId}/routines`, {
      title: `R${n}`,
      assigneeAgentId: agentId,
      projectId,
      concurrencyPolicy: "always_enqueue",
      catchUpPolicy: "enqueue_missed_with_cap",
    });
  return companyId;
};

/** Makes triggers for every routine of the company, all due at that time. */
const triggers = (api: ApiService, companyId: string, each: number, cron: string, at: Date | string) =>
  api.sql`
    insert into routine_triggers (
      id, company_id, routine_id, kind, enabled, cron_expression, timezone, next_fire_at, created_at, updated_at
    )
    select  gen_random_uuid(), company_id, id, 'schedule', true, ${cron}, 'UTC', ${at}, now(), now()
    from    routines, generate_series(1, ${each})
    where   company_id = ${companyId}
  `;

describe("Two services that are killed repeatedly", () => {
  let api: ApiService;
  const directories: string[] = [];
  const workers: (ServiceProgram | null)[] = [null, null];

  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker?.stop("SIGKILL")));
    await api?.stop();
    await Promise.all(directories.map((path) => rm(path, { recursive: true, force: true })));
  });

  const startWorker = async (n: number) => {
    if (directories[n] === undefined) {
      directories[n] = await mkdtemp(join(tmpdir(), "boardroom-test-"));
      await shareWorkspaces(directories[n], api.dataDir);
    }
    workers[n] = await serveProgram(
      directories[n],
      {
        DATABASE_URL: api.databaseUrl,
        SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
        SERVICE_PUBLIC_URL: api.url,
      },
      ["--role", "worker"],
    );
  };

  it("fire every tick of many triggers exactly once, each with its issue and its wake", async () => {
    const routines = times(15, 30);
    const companyId = await company(api, routines);
    const ticks = routines * 10 * 4;
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    const first = new Date(minute - 3 * 60_000);
    await triggers(api, companyId, 10, "* * * * *", first);
    const missing = async () => {
      const [row] = await api.sql<{ left: number }[]>`
        select  count(*)::int as left
        from    routine_triggers t, generate_series(${first}::timestamptz, ${new Date(minute)}::timestamptz, '1 minute') as tick
        where   not exists (select from routine_runs where trigger_id = t.id and scheduled_for = tick)
      `;
      return row!.left;
    };

    let kills = 0;
    let killsWithWorkLeft = 0;
    // Nothing is fired before both are there.
    await api.sql.begin(async (sql) => {
      await sql`lock table routine_runs in share mode`;
      await Promise.all([startWorker(0), startWorker(1)]);
    });
    let left = ticks;
    for (let n = 0; kills < 20 && killsWithWorkLeft < times(2, 5); n = 1 - n) {
      const before = left;
      left = await eventually(missing, (ticks) => ticks < before, { everyMs: 10 });
      if (left === 0) break;
      killsWithWorkLeft += 1;
      await workers[n]?.stop("SIGKILL");
      kills += 1;
      await startWorker(n);
    }
    // Otherwise no service was killed in the middle.
    expect(killsWithWorkLeft).toBeGreaterThan(0);
    await eventually(missing, (left) => left === 0, { withinMs: 240_000, everyMs: 500 });
    await Promise.all(workers.map((worker) => worker?.stop()));

    const [sums] = await api.sql`
      select  (select count(*)::int from routine_runs where company_id = ${companyId}) as runs,
              (select count(*)::int from (select distinct trigger_id, scheduled_for from routine_runs) ticks) as ticks,
              (select count(distinct linked_issue_id)::int from routine_runs) as linked,
              (select count(*)::int from issues where routine_id is not null) as issues,
              (select count(*)::int from wakes where issue_id in (select linked_issue_id from routine_runs)) as wakes,
              (select count(*)::int from routine_runs where status <> 'issue_created') as others
    `;
    expect(sums!.runs).toBeGreaterThanOrEqual(ticks);
    expect(sums).toEqual({
      runs: sums!.runs,
      ticks: sums!.runs,
      linked: sums!.runs,
      issues: sums!.runs,
      wakes: sums!.runs,
      others: 0,
    });
    process.stdout.write(`${kills} kills, ${killsWithWorkLeft} of them in the middle; ${sums!.runs} ticks\n`);
  });
});

describe("Ten thousand schedule triggers", () => {
  let service: TestService;
  let api: ApiService;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(async () => {
    await service?.stop();
    await api?.stop();
  });

  it("of which a thousand are due at once: all fire once, requests are answered, and nothing scans the table", async () => {
    const companyId = await company(api, 100);
    await triggers(api, companyId, 90, "0 0 1 1 *", "2099-01-01T00:00:00Z");
    const due = new Date(Date.now() + 3_000);
    await triggers(api, companyId, 10, "0 0 1 1 *", due);
    await api.sql`analyze routine_triggers, routines`;
    const scans = async () =>
      (
        await api.sql<{ seqScan: number; idxScan: number }[]>`
          select seq_scan::int as "seqScan", idx_scan::int as "idxScan"
          from pg_stat_user_tables where relname = 'routine_triggers'
        `
      )[0]!;
    // Only time shows that the connections of the service's pool have told the database's statistics what they have scanned:
    // each tells it by itself, at most once a second.
    await sleep(1_200);
    const before = await scans();
    service = await startService({ sharedWith: api, role: "worker" });
    const fired = async () =>
      (
        await api.sql<
          { n: number }[]
        >`select count(*)::int as n from routine_runs where company_id = ${companyId}`
      )[0]!.n;
    const latencies: number[] = [];
    const until = performance.now() + 240_000;
    while ((await fired()) < 1_000 && performance.now() < until) {
      const began = performance.now();
      const { status } = await api.get(`/api/companies/${companyId}/agents`);
      latencies.push(performance.now() - began);
      expect(status).toBe(200);
      await sleep(100);
    }
    const tookMs = Date.now() - due.getTime();
    const [sums] = await api.sql`
      select  count(*)::int as runs, count(distinct trigger_id)::int as triggers,
              count(distinct linked_issue_id)::int as issues,
              count(*) filter (where status = 'issue_created')::int as made
      from    routine_runs
      where   company_id = ${companyId}
    `;
    expect(sums).toEqual({ runs: 1_000, triggers: 1_000, issues: 1_000, made: 1_000 });
    latencies.sort((a, b) => a - b);
    const slowest = latencies.at(-1)!;
    // The database reports its statistics with a delay.
    const after = await eventually(scans, ({ idxScan }) => idxScan - before.idxScan >= 1_000);
    expect(after.seqScan).toBe(before.seqScan);
    process.stdout.write(
      `1000 ticks in ${tookMs} ms; requests meanwhile: median ${latencies[latencies.length >> 1]!.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms\n`,
    );
  });
});
