import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { type PostgresAdapters, postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { type BackgroundCase, backgroundCases } from "../support/background-cases.ts";
import { createDatabase } from "../support/database.ts";
import { openPlans, type Plans } from "../support/query-plans.ts";

/** Queued runs of an agent each, one half of them on an issue. */
const waiting = 20;
/** Of people and of agents, on each issue and for each agent. */
const acts = 500;

let plans: Plans;
let adapters: PostgresAdapters;
let close: () => Promise<void>;

beforeAll(async () => {
  const database = await createDatabase();
  plans = await openPlans(database.url, fillBusyMinutes);
  adapters = postgresAdapters(plans.sql, systemClock);
  close = async () => {
    await plans.end();
    await database.drop();
  };
});
afterAll(() => close?.());

/** All that happened is minutes old, so that the loop breaker might count it. */
const fillBusyMinutes = async (sql: Sql): Promise<void> => {
  await sql.unsafe(`
    create function pg_temp.id(kind integer, n bigint) returns uuid language sql immutable as $$
      select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(kind), 12, '0'))::uuid
    $$;
    create function pg_temp.lately(n bigint) returns timestamptz language sql stable as $$
      select now() - interval '5 minutes' + n * interval '100 milliseconds'
    $$;
    set session_replication_role = replica;
    insert into companies (id, name, status, issue_prefix, created_at, updated_at)
    values (pg_temp.id(1, 1), 'Busy', 'active', 'BUSY', now(), now());
    insert into agents (id, company_id, name, url_key, role, lifecycle_state, adapter_type, adapter_config, runtime_config, created_at, updated_at)
    select  pg_temp.id(2, n), pg_temp.id(1, 1), 'Agent ' || n, 'agent-' || n, 'r', 'active', 'process', '{}', '{}', now(), now()
    from    generate_series(1, ${waiting}) n;
    insert into issues (id, company_id, identifier, title, status, priority, assignee_agent_id, last_activity_at, created_at, updated_at)
    select  pg_temp.id(3, n), pg_temp.id(1, 1), 'BUSY-' || n, 'Busy', 'todo', 'medium', pg_temp.id(2, n), now(), now(), now()
    from    generate_series(1, ${waiting}) n;
    insert into runs (id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source, created_at, updated_at)
    select  pg_temp.id(4, n), pg_temp.id(1, 1), pg_temp.id(2, n), case when n % 2 = 0 then pg_temp.id(3, n) end,
            'process', 'queued', 'manual', 'on_demand', now(), now()
    from    generate_series(1, ${waiting}) n;
    insert into runs (id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source, started_at, finished_at, created_at, updated_at)
    select  pg_temp.id(4, agent * 1000000 + n), pg_temp.id(1, 1), pg_temp.id(2, agent), case when n % 2 = 0 then pg_temp.id(3, agent) end,
            'process', 'succeeded', 'manual', 'on_demand', pg_temp.lately(n), pg_temp.lately(n), pg_temp.lately(n), now()
    from    generate_series(1, ${waiting}) agent, generate_series(1, ${acts}) n;
    insert into wakes (id, company_id, agent_id, issue_id, reason, source, status, run_id, by_kind, created_at, ended_at)
    select  pg_temp.id(5, n), company_id, agent_id, issue_id, 'manual', 'on_demand', 'started', id,
            'board', created_at, created_at
    from    (select *, row_number() over () as n from runs where status = 'succeeded') as ended;
    insert into activity (id, company_id, actor_kind, action, entity_type, entity_id, details, created_at)
    select  pg_temp.id(6, 2 * n + by), company_id, case by when 0 then 'board' else 'agent' end, 'issue.comment_added', 'issue', issue_id,
            '{}', created_at
    from    (select *, row_number() over () as n from runs where status = 'succeeded' and issue_id is not null) as ended,
            generate_series(0, 1) as by;
  `);
  await sql.unsafe("vacuum analyze");
};

describe(`With ${acts} runs and as many acts of people in the last minutes, for each agent`, () => {
  const name = "choosing and locking who may run next";
  const { ask } = backgroundCases[name] as BackgroundCase;

  it.each(["custom", "generic"] as const)(`${name} reads a few rows for each (%s plan)`, async (mode) => {
    const { rows, scanned } = await plans.read(ask(adapters), mode);
    expect(scanned).toEqual([]);
    expect(rows).toBeLessThanOrEqual(waiting * 20);
  });
});
