import type { Sql } from "postgres";
import { sumCosts } from "./cost-sums.ts";
import { createFilledDatabase, type TestDatabase } from "./database.ts";

/** The nth row of a table, in order of creation: `kind` tells tables apart. */
export const nth = (kind: keyof typeof kinds, n: number): never =>
  `${n.toString(16).padStart(8, "0")}-0000-7000-8${kinds[kind]}-000000000000` as never;

const kinds = {
  company: "001",
  agent: "002",
  project: "003",
  goal: "004",
  issue: "005",
  label: "006",
  run: "007",
  user: "008",
  approval: "009",
  routine: "00a",
  trigger: "00b",
  secret: "00c",
  document: "00d",
  vault: "00e",
  other: "00f",
  repository: "010",
  tree: "011",
  eventSubscription: "012",
};

/**
 * The distribution of rows. Of 2000 companies the first has most rows of every table, the second many; the fourth is
 * old and small, with rows among the first thousands of the big tables. In the first company half of all rows belong to
 * agent 1, project 1, goal 1 and label 1, while number 2 of each has a few old rows. Issue 1 has thousands of rows in
 * each of its tables, and so have run 1, document 1, approval 1, routine 1, secret 1 and board user 1. One in three issues of the
 * first company that was begun has a branch, a workspace, a check and kept work, as after years of work on code; most of
 * it is done, and nothing of it is due.
 */
export const crowd = {
  big: nth("company", 1),
  busy: nth("company", 2),
  small: nth("company", 4),
};

/** A database with that many rows. */
export const createCrowdedDatabase = (): Promise<TestDatabase> => createFilledDatabase("crowd", fillCrowd);

/**
 * Fills an empty database within seconds and creates the indexes at the end. Constraints are not checked, so the rows
 * must be valid. Each statement is a transaction of its own, because the streams of all suites on the server wait for its
 * oldest one.
 */
const fillCrowd = async (sql: Sql): Promise<void> => {
  const session = await sql.reserve();
  try {
    await session.unsafe("set session_replication_role = replica; set synchronous_commit = off");
    const indexes = await session<{ name: string; definition: string }[]>`
      select  indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from    pg_index
      join    pg_class on pg_class.oid = indrelid
      where   relnamespace = 'public'::regnamespace
      and     not exists (select from pg_constraint where conindid = indexrelid)
    `;
    await session.unsafe(indexes.map(({ name }) => `drop index ${name}`).join(";"));
    for (const [name, kind] of Object.entries(kinds))
      await session.unsafe(`
        create function pg_temp.${name}(n bigint) returns uuid language sql immutable parallel safe as $$
          select (lpad(to_hex(n), 8, '0') || '-0000-7000-8${kind}-000000000000')::uuid
        $$
      `);
    for (const statement of rows.split(/;$/m)) await session.unsafe(statement);
    await sumCosts(session);
    for (const { definition } of indexes) await session.unsafe(definition);
    await session.unsafe(sampleAllRows);
    await session.unsafe("vacuum analyze");
    await session.unsafe("reset session_replication_role; reset synchronous_commit");
  } finally {
    session.release();
  }
};

/**
 * Every analysis of the tables finds the same, with the usual statistics of all columns but the first: it reads 300 rows
 * for each entry of the largest statistics of a table.
 */
const sampleAllRows = `
do $$
declare first_column record;
begin
  for first_column in
    select  attrelid::regclass as of_table, attname as name
    from    pg_attribute
    join    pg_class on pg_class.oid = attrelid
    where   relnamespace = 'public'::regnamespace
    and     relkind = 'r'
    and     attnum = 1
  loop
    execute format('alter table %s alter column %I set statistics 1000', first_column.of_table, first_column.name);
  end loop;
end $$
`;

/** The company of row n: mostly the first, a sixth the second, a few old rows the fourth. */
const companyOf = (n: string) => `
  case when ${n} <= 4000 and ${n} % 200 = 0 then 4 when ${n} % 6 = 5 then 2 when ${n} % 50 = 7 then 3 else 1 end
`;
/** One of `count`: half are 1, a few old ones 2. */
const skewed = (n: string, count: number) => `
  case when ${n} <= 4000 and ${n} % 400 = 1 then 2 when ${n} % 2 = 0 then 1 else 3 + ${n} / 2 % ${count - 2} end
`;

const rows = `
insert into companies (id, name, status, issue_prefix, created_at, updated_at)
select  pg_temp.company(n), 'Company ' || n, case when n % 3 = 0 then 'archived' else 'active' end,
        case when n <= 4 then (array['BIG', 'BUSY', 'MID', 'SMALL'])[n] else 'C' || translate(n::text, '0123456789', 'ABCDEFGHIJ') end,
        now(), now()
from    generate_series(1, 2000) n;

insert into board_users (id, name, created_at)
select pg_temp.user(n), 'User ' || n, now() from generate_series(1, 3000) n;
insert into memberships (company_id, user_id, role, created_at)
select pg_temp.company(1 + n % 2000), pg_temp.user(n), 'viewer', now() from generate_series(1, 3000) n;
insert into memberships (company_id, user_id, role, created_at)
select pg_temp.company(n), pg_temp.user(1), 'owner', now() from generate_series(1, 4) n on conflict do nothing;
insert into board_tokens (id, user_id, kind, name, hash, created_at)
select pg_temp.other(n), pg_temp.user(1 + n % 2000), 'token', 'T', int4send(n), now() from generate_series(1, 5000) n;
insert into board_tokens (id, user_id, kind, name, hash, created_at, expires_at, ends_at)
select pg_temp.other(n), pg_temp.user(1), 'session', 'S', int4send(n), now(), now() + interval '7 days', now() + interval '30 days'
from   generate_series(5001, 10000) n;

insert into agents (id, company_id, name, url_key, role, lifecycle_state, adapter_type, adapter_config, runtime_config, next_timer_at, created_at, updated_at)
select  pg_temp.agent(n), pg_temp.company(case when n <= 60 then 1 when n <= 160 then 2 when n <= 163 then 4 else 5 + n % 1990 end),
        'Agent ' || n, 'agent-' || n, 'r', 'active', 'process', '{}', '{}', now() + n * interval '1 minute', now(), now()
from    generate_series(1, 4000) n;
insert into agent_keys (id, company_id, agent_id, name, hash, created_at)
select pg_temp.other(n), company_id, id, 'K', int4send(n), now()
from   generate_series(1, 8000) n join agents on id = pg_temp.agent(1 + n % 4000);
insert into agent_config_revisions (id, company_id, agent_id, source, changed_keys, after_config, created_at)
select pg_temp.other(n), company_id, id, 'patch', '{name}', '{"adapterConfig": {}}', now()
from   generate_series(1, 20000) n join agents on id = pg_temp.agent(1 + n % 4000);
insert into projects (id, company_id, name, status, created_at, updated_at)
select pg_temp.project(n), pg_temp.company(case when n <= 50 then 1 when n <= 60 then 4 else 5 + n % 1990 end), 'P', 'planned', now(), now()
from   generate_series(1, 4000) n;
insert into goals (id, company_id, title, level, status, created_at, updated_at)
select pg_temp.goal(n), pg_temp.company(case when n <= 50 then 1 when n <= 60 then 4 else 5 + n % 1990 end), 'G', 'team', 'active', now(), now()
from   generate_series(1, 4000) n;
insert into projects (id, company_id, name, status, archived_at, created_at, updated_at)
select pg_temp.project(n), pg_temp.company(1), 'P', 'completed', now(), now(), now() from generate_series(4001, 9000) n;
insert into goals (id, company_id, title, level, status, archived_at, created_at, updated_at)
select pg_temp.goal(n), pg_temp.company(1), 'G', 'task', 'achieved', now(), now(), now() from generate_series(4001, 9000) n;
insert into labels (id, company_id, name, created_at)
select pg_temp.label(n), pg_temp.company(case when n <= 50 then 1 when n <= 60 then 4 else 5 + n % 1990 end), 'L' || n, now()
from   generate_series(1, 4000) n;

insert into issues (id, company_id, identifier, title, description, status, priority, assignee_agent_id, assignee_user_id, project_id, goal_id, parent_id, routine_id, created_by_agent_id, created_by_user_id, verified_at, has_own_gates, last_activity_at, created_at, updated_at)
select  pg_temp.issue(n), pg_temp.company(c), (array['BIG', 'BUSY', 'MID', 'SMALL'])[c] || '-' || n,
        'Issue about thing ' || n % 997, 'Word' || n % 5003 || ' and more' || case when n between 20000 and 60000 then ' lantern' else '' end,
        case
          when n % 5000 = 9 then 'in_progress' when n % 100 < 80 then 'done' when n % 100 < 85 then 'cancelled'
          when n % 100 < 92 then 'backlog' when n % 100 < 96 then 'todo' when n % 100 < 98 then 'blocked' else 'in_review'
        end,
        (array['critical', 'high', 'medium', 'low'])[1 + n / 7 % 4],
        case when c = 1 and n % 5 < 4 then pg_temp.agent(${skewed("n", 60)}) end,
        case when n % 250 = 4 then pg_temp.user(5) when n % 5 = 4 and n % 3 = 0 then pg_temp.user(6 + n % 20) end,
        case when c = 1 then pg_temp.project(${skewed("n", 50)}) end,
        case when c = 1 then pg_temp.goal(${skewed("n", 50)}) end,
        case when c = 1 and n % 20 = 2 then pg_temp.issue(1) when c = 1 and n > 1000 and n % 20 = 4 then pg_temp.issue(n / 20) end,
        case when c = 1 and n % 10 = 3 then pg_temp.routine(1) end,
        case when c = 1 and n % 5 < 4 then pg_temp.agent(${skewed("n", 60)}) end,
        case when c > 1 or n % 5 = 4 then pg_temp.user(5 + n % 20) end,
        case when n % 9 = 0 and n % 100 < 80 and n % 5000 <> 9 then now() end, n % 30 = 1,
        now() - n * 7919 % 100000 * interval '1 minute', now(), now()
from    generate_series(1, 100000) n, lateral (select ${companyOf("n")} as c) as which;
insert into issue_labels (company_id, issue_id, label_id)
select  company_id, id, pg_temp.label(case when n % 4 = 0 then ${skewed("n / 4", 50)} else 1 + n % 2 * 7 end)
from    (select id, company_id, row_number() over (order by id) as n from issues where company_id = pg_temp.company(1)) as i;
insert into issue_labels (company_id, issue_id, label_id)
select  company_id, id, pg_temp.label(9) from issues where company_id = pg_temp.company(1)
and     right(identifier, 1) = '6' on conflict do nothing;
insert into issue_blockers (company_id, issue_id, blocked_by_id)
select  a.company_id, a.id, b.id
from    generate_series(1001, 100000) n join issues a on a.id = pg_temp.issue(n) join issues b on b.id = pg_temp.issue(n - 1000)
where   a.company_id = b.company_id and n % 3 = 0;

insert into comments (id, company_id, issue_id, body, created_at, updated_at)
select  pg_temp.other(n), i.company_id, i.id, 'Comment' || n % 3001 || ' on ' || title, now(), now()
from    generate_series(1, 50000) n join issues i on i.id = pg_temp.issue(case when n % 10 = 0 then 1 else 2 * n end);
insert into comment_revisions (id, comment_id, body, replaced_at)
select  pg_temp.other(n), pg_temp.other(case when n % 2 = 0 then 10 else n end), 'Before', now() from generate_series(1, 4000) n;
insert into issue_watchers (company_id, issue_id, user_id, watching_since, seen_at)
select  company_id, id, pg_temp.user(1 + n % 40), now(), now() - interval '10 days'
from    generate_series(1, 20000) n join issues on id = pg_temp.issue(case when n <= 40 then 1 else n end);
insert into interactions (id, company_id, issue_id, kind, status, continuation_policy, payload, ends_by_comment, resolved_at, created_at, updated_at)
select  pg_temp.other(n), i.company_id, i.id, 'request_confirmation', s, 'none', '{}', true, case when s <> 'pending' then now() end, now(), now()
from    generate_series(1, 30000) n join issues i on i.id = pg_temp.issue(case when n % 5 = 0 then 1 else 3 * n end),
        lateral (select case when n < 200 then 'pending' else 'accepted' end as s) as has;
insert into documents (id, company_id, issue_id, key, format, body, latest_revision_id, latest_revision_number, created_at, updated_at)
select  pg_temp.document(n), i.company_id, i.id, 'plan', 'markdown', 'Plan of ' || title, pg_temp.document(n), 1, now(), now()
from    generate_series(1, 20000) n join issues i on i.id = pg_temp.issue(n);
insert into document_revisions (id, company_id, document_id, revision_number, format, body, created_at)
select  pg_temp.other(n), d.company_id, d.id, n, 'markdown', 'text', now()
from    generate_series(1, 40000) n join documents d on d.id = pg_temp.document(case when n % 8 = 0 then 1 else n / 2 end);
insert into assets (id, company_id, purpose, provider, blob_key, content_type, byte_size, sha256, created_at)
select  pg_temp.other(n), pg_temp.company(1), 'attachment', 'local_disk', n::text, 'text/plain', 1, 'x', now() from generate_series(1, 20000) n;
insert into attachments (id, company_id, issue_id, asset_id, created_at)
select  pg_temp.other(n), pg_temp.company(1), pg_temp.issue(case when n % 4 = 0 then 1 else 2 * n end), pg_temp.other(n), now() from generate_series(1, 20000) n;

insert into runs (id, company_id, agent_id, issue_id, adapter_type, status, wake_reason, invocation_source, service_id, scope, started_at, finished_at, retry_of_run_id, created_at, updated_at)
select  pg_temp.run(n), pg_temp.company(c), pg_temp.agent(case c when 1 then ${skewed("n", 60)} when 2 then 61 + n % 100 when 4 then 161 else 200 + n % 1000 end),
        case when c = 1 and n % 20 = 0 then pg_temp.issue(1) when n % 3 > 0 then pg_temp.issue(n) end, 'process',
        case
          when n > 99950 then case when n % 4 = 3 then 'queued' else 'running' end when n < 4000 and n % 200 = 9 then 'timed_out'
          when n % 10 = 0 then 'failed' else 'succeeded'
        end,
        'issue_assigned', 'assignment', case when n > 99950 and n % 4 <> 3 then pg_temp.other(1) end, 'host/here',
        case when n <= 99950 or n % 4 <> 3 then now() - (100000 - n) * interval '1 minute' end, case when n <= 99950 then now() - (100000 - n) * interval '1 minute' end,
        case when n % 30 = 0 then pg_temp.run(n - 1) end, now() - (100000 - n) * interval '1 minute', now()
from    generate_series(1, 100000) n, lateral (select ${companyOf("n")} as c) as which
where   n <= 99950 or c = 1 and ${skewed("n", 60)} > 2 or c = 2;
insert into wakes (id, company_id, agent_id, issue_id, reason, source, status, run_id, by_kind, created_at, ended_at)
select  pg_temp.other(row_number() over (order by id)), company_id, agent_id, issue_id, 'issue_assigned', 'assignment', case when status in ('queued') then 'pending' else 'started' end,
        id, case when get_byte(uuid_send(id), 3) % 4 = 0 then 'board' else 'agent' end, created_at, case when status <> 'queued' then now() end
from    runs;
insert into run_events (company_id, run_id, seq, type, created_at)
select  r.company_id, r.id, n, 'lifecycle', now() from generate_series(1, 60000) n join runs r on r.id = pg_temp.run(case when n % 3 = 0 then 1 else n end);
insert into run_log_segments (company_id, run_id, byte_offset, bytes, blob_key, created_at)
select  r.company_id, r.id, (n / 3) * 100, 100, 'k', now() from generate_series(1, 60000) n join runs r on r.id = pg_temp.run(case when n % 3 = 0 then 1 else n end);
insert into task_sessions (company_id, agent_id, adapter_type, task_key, params, last_run_id, updated_at)
select  pg_temp.company(1), pg_temp.agent(1 + n % 60), 'process', n::text, '{}', pg_temp.run(n), now() from generate_series(1, 20000) n;
insert into cost_events (id, company_id, agent_id, issue_id, project_id, run_id, source, provider, model, cost_status, input_tokens, cached_input_tokens, output_tokens, cost_cents, occurred_at, created_at)
select  pg_temp.other(row_number() over (order by r.id)), r.company_id, r.agent_id, r.issue_id, case when r.company_id = pg_temp.company(1) then pg_temp.project(1 + get_byte(uuid_send(r.id), 3) % 50) end,
        r.id, 'adapter', 'p' || get_byte(uuid_send(r.id), 3) % 5, 'm', 'reported', 1, 1, 1, 1, now() - (now() - r.created_at) * 5, now()
from    runs r;
insert into budget_months (company_id, scope_id, month, spent_cents)
select  company_id, scope_id, date_trunc('month', occurred_at, 'UTC'), sum(cost_cents)
from    cost_events, unnest(array[company_id, agent_id]) as scope_id group by 1, 2, 3;

insert into activity (id, company_id, actor_kind, actor_id, run_id, action, entity_type, entity_id, details, created_at)
select  pg_temp.other(n), pg_temp.company(c), case when n < 4000 and n % 100 = 1 then 'board' else 'agent' end,
        case when n < 4000 and n % 100 = 1 then pg_temp.user(1) when c = 1 then pg_temp.agent(${skewed("n", 60)}) else pg_temp.agent(200 + n % 1000) end, null, 'x',
        case when n < 4000 and n % 300 = 1 then 'approval' when n % 3 = 0 then 'heartbeat_run' when n % 50 = 1 then 'agent' else 'issue' end,
        case when n % 3 = 0 then pg_temp.run(n / 2) when c = 1 and n % 10 = 2 then pg_temp.issue(1) else pg_temp.issue(n / 2) end,
        jsonb_build_object('bodySnippet', 'An event with word' || n % 1000), now() - (200000 - n) * interval '30 seconds'
from    generate_series(1, 200000) n, lateral (select ${companyOf("n")} as c) as which;
-- What is news to watchers.
insert into activity (id, company_id, actor_kind, actor_id, run_id, action, entity_type, entity_id, details, created_at)
select  pg_temp.other(200000 + n), company_id, 'agent', pg_temp.agent(1), null, 'issue.comment_added', 'issue', id, jsonb_build_object('bodySnippet', 'An event of issue' || n), now() - n * interval '1 minute'
from    generate_series(1, 20000) n join issues on id = pg_temp.issue(n);

insert into approvals (id, company_id, type, status, payload, requested_by_agent_id, created_at, updated_at)
select  pg_temp.approval(n), pg_temp.company(c), 'approve_ceo_strategy', case when n < 4000 and n % 100 = 1 then 'pending' when n % 7 = 0 then 'rejected' else 'approved' end,
        '{}', null, now(), now()
from    generate_series(1, 20000) n, lateral (select ${companyOf("n")} as c) as which;
insert into approval_issues (company_id, approval_id, issue_id, created_at)
select  pg_temp.company(1), pg_temp.approval(case when n <= 100 then 1 else n end), pg_temp.issue(case when n between 101 and 200 then 1 else n end), now() from generate_series(1, 20000) n;
insert into approval_comments (id, company_id, approval_id, body, created_at)
select  pg_temp.other(n), pg_temp.company(1), pg_temp.approval(case when n % 4 = 0 then 1 else n end), 'x', now() from generate_series(1, 20000) n;
insert into grants (id, company_id, agent_id, permission, classes, granted_by_user_id, created_at)
select  pg_temp.other(n), company_id, id, 'agents:hire', '{}', pg_temp.user(1), now() from generate_series(1, 4000) n join agents on id = pg_temp.agent(n);

insert into routines (id, company_id, title, assignee_agent_id, project_id, priority, status, concurrency_policy, catch_up_policy, latest_revision_id, latest_revision_number, created_at, updated_at)
select  pg_temp.routine(n), pg_temp.company(c), 'R', pg_temp.agent(1), pg_temp.project(1), 'low', 'active', 'coalesce_if_active', 'skip_missed', pg_temp.other(n), 1, now(), now() - n * interval '1 minute'
from    generate_series(1, 5000) n, lateral (select case when n <= 200 then 1 when n <= 210 then 4 else 5 + n % 1990 end as c) as which;
insert into routine_revisions (id, company_id, routine_id, revision_number, change_summary, snapshot, created_at)
select  pg_temp.other(n), r.company_id, r.id, n, 'x', '{}', now() from generate_series(1, 20000) n join routines r on r.id = pg_temp.routine(1 + n % 5000);
insert into routine_triggers (id, company_id, routine_id, kind, enabled, cron_expression, timezone, next_fire_at, created_at, updated_at)
select  pg_temp.trigger(n), r.company_id, r.id, 'schedule', true, '* * * * *', 'UTC', now() + n * interval '1 minute', now(), now()
from    generate_series(1, 100000) n join routines r on r.id = pg_temp.routine(1 + n % 5000);
insert into routine_runs (id, company_id, routine_id, trigger_id, source, status, scheduled_for, triggered_at, routine_revision_id, linked_issue_id, created_at)
select  pg_temp.other(n), r.company_id, r.id, pg_temp.trigger(n), 'schedule', 'issue_created', now(), now(), pg_temp.other(1),
        case when r.company_id = pg_temp.company(1) then pg_temp.issue(n) end, now()
from    generate_series(1, 50000) n join routines r on r.id = pg_temp.routine(case when n % 3 = 0 then 1 else 1 + n % 5000 end);

insert into vaults (id, company_id, provider, display_name, status, created_at, updated_at)
select  pg_temp.vault(n), pg_temp.company(1 + n % 2000), 'local_encrypted', 'V', 'ready', now(), now() from generate_series(1, 4000) n;
insert into secrets (id, company_id, key, name, provider, managed_mode, status, latest_version, created_at, updated_at)
select  pg_temp.secret(n), pg_temp.company(case when n <= 300 then 1 when n <= 310 then 4 else 5 + n % 1990 end), 'K' || n, 'S' || n, 'local_encrypted', 'service_managed', 'active', 2, now(), now()
from    generate_series(1, 5000) n;
insert into secret_versions (id, secret_id, company_id, version, sealed, created_at)
select  pg_temp.other(n), s.id, s.company_id, n % 2 + 1, '', now() from generate_series(1, 10000) n join secrets s on s.id = pg_temp.secret((n + 1) / 2);
insert into secret_bindings (agent_id, config_path, company_id, secret_id)
select  pg_temp.agent(1 + n % 60), 'p' || n, pg_temp.company(1), pg_temp.secret(1 + n % 300) from generate_series(1, 5000) n;
insert into secret_access_events (id, company_id, secret_id, provider, agent_id, config_path, run_id, outcome, created_at)
select  pg_temp.other(n), s.company_id, s.id, 'local_encrypted', pg_temp.agent(1), 'p', pg_temp.run(n), 'success', now()
from    generate_series(1, 50000) n join secrets s on s.id = pg_temp.secret(case when n % 3 = 0 then 1 else 1 + n % 5000 end);

insert into event_subscriptions (id, company_id, url, format, events, sealed, secret_version, created_at, updated_at)
select  pg_temp.eventSubscription(n), pg_temp.company(case when n <= 50 then 1 else n end), 'https://example.com', 'webhook',
        array['issue.*'], '', 1, now() + n * interval '1 s', now()
from    generate_series(1, 2000) n;
insert into event_deliveries (
  id, company_id, subscription_id, event_id, type, subject_type, subject_id, actor_type, details, occurred_at, state, is_head,
  next_attempt_at, created_at
)
select  pg_temp.other(n), s.company_id, s.id, pg_temp.other(n), 'issue.created', 'issue', pg_temp.issue(n), 'system', '{}', now(),
        case when n % 100 = 0 then 'pending' else 'delivered' end, n % 100 = 0, case when n % 100 = 0 then now() end,
        now() + n * interval '1 s'
from    generate_series(1, 30000) n
join    event_subscriptions s on s.id = pg_temp.eventSubscription(case when n % 2 = 0 then 1 else 1 + n % 2000 end);

insert into idempotency_keys (scope, request, reserved_id, expires_at, lease_until)
select  int4send(n), '', pg_temp.other(n), now() + interval '1 hour', now() from generate_series(1, 50000) n;
insert into loose_blobs (blob_key, due_at) select n::text, now() + interval '1 hour' from generate_series(1, 10000) n;
insert into services (id, host, scopes, pid, process_started_at, role, started_at, lease_until)
select  pg_temp.other(n), 'here', array['host/here'], n, '1', 'all', now(), now() + interval '1 hour' from generate_series(1, 3) n;
insert into volumes (id, host, seen_at, abandoned_at)
select  pg_temp.other(n), 'here', now(), now() + interval '1 hour' from generate_series(1, 3) n;
insert into repositories (id, company_id, project_id, url, default_branch, mode, checked_at, removed_at, created_at, updated_at)
select  pg_temp.repository(n), company_id, projects.id, 'https://host.example/' || n, 'main', 'issue', now(), case when n > 4000 then now() end, now(), now()
from    generate_series(1, 8000) n join projects on projects.id = pg_temp.project(1 + (n - 1) % 4000);
insert into project_gates (project_id, company_id, position, name, kind, command, timeout_sec, max_wakes)
select  projects.id, company_id, gate.position, gate.name, gate.kind, gate.command, gate.seconds, gate.wakes
from    generate_series(1, 4000) n join projects on projects.id = pg_temp.project(n),
        (values (0, 'tidy', 'clean', null, null, null), (1, 'tests', 'command', 'npm test', 600, 3)) as gate (position, name, kind, command, seconds, wakes)
where   gate.kind = 'clean' or n <= 50 or n % 5 = 0;
insert into issue_gates (issue_id, company_id, position, name, kind, command, timeout_sec, max_wakes)
select  id, company_id, 0, 'tests', 'command', 'npm test', 600, 3 from issues where has_own_gates;
insert into issue_branches (issue_id, repository_id, company_id, branch, base_branch, base_commit, head, captured_run_id, published_at, created_at, updated_at)
select  issues.id, repositories.id, issues.company_id, 'boardroom/' || identifier, 'main', repeat('0', 40), lpad(to_hex(n), 40, '0'), pg_temp.run(n), now(), now(), now()
from    generate_series(3, 100000, 3) n join issues on issues.id = pg_temp.issue(n) join repositories on repositories.project_id = issues.project_id and removed_at is null
where   issues.status not in ('backlog', 'todo');
-- The command of the gate has changed since the old ones.
insert into gate_checks (issue_id, company_id, gate, command, commits, state, log, duration_ms, wakes, lease_until, started_at, finished_at)
select  issue.id, issue.company_id, 'tests', case when issue.status in ('done', 'cancelled') then 'make test' else 'npm test' end, array[branch.head], 'passed', 'ok', 100, 0, now(), now(), now()
from    issue_branches branch join issues issue on issue.id = branch.issue_id;
insert into merges (id, company_id, issue_id, repository_id, method, from_commit, onto_commit, commit, state, by_kind, lease_until, created_at)
select  pg_temp.other(row_number() over (order by issue.id)), issue.company_id, issue.id, branch.repository_id, 'merge', branch.head, branch.base_commit, branch.head, 'merged', 'system', now(), now()
from    issue_branches branch join issues issue on issue.id = branch.issue_id and issue.status = 'done';
insert into pull_requests (id, company_id, issue_id, repository_id, branch, into_branch, title, body, state, number, url, head, base_commit, checks, failed_checks, wakes, by_kind, changed_at, poll_at, created_at)
select  pg_temp.other(row_number() over (order by issue.id)), issue.company_id, issue.id, branch.repository_id, branch.branch, 'main', issue.title, '', case issue.status when 'done' then 'merged' when 'cancelled' then 'closed' else 'open' end,
        1, 'https://host.example/1', branch.head, branch.base_commit, 'passed', '{}', 0, 'system', now(), now() + case when issue.status in ('done', 'cancelled') then interval '-1 day' else interval '1 hour' end, now()
from    issue_branches branch join issues issue on issue.id = branch.issue_id;
insert into host_notes (pull_request_id, company_id, host_id, created_at)
select  pg_temp.other(case when n % 4 = 0 then 1 else n end), pg_temp.company(1), n::text, now() from generate_series(1, 20000) n;
insert into issue_workspaces (id, company_id, issue_id, volume, run_id, state_run_id, clones, made_at, used_at, created_at)
select  pg_temp.tree(n), issue.company_id, issue.id, pg_temp.other(1 + n % 3), pg_temp.run(n), pg_temp.run(n), '[]', case when issue.status not in ('done', 'cancelled') then now() end, now() - interval '20 days', now()
from    generate_series(3, 100000, 3) n join issues issue on issue.id = pg_temp.issue(n)
where   issue.status not in ('backlog', 'todo');
update  issue_workspaces set uncaptured_run_id = run_id, problem = 'The disk is full.', tried_at = now() where id < pg_temp.tree(200) and made_at is not null;
insert into run_works (run_id, repository_id, company_id, issue_id, workspace_id, head, files, left_out, captured_at)
select  branch.captured_run_id, branch.repository_id, branch.company_id, branch.issue_id, workspace.id, branch.head, branch.head, '[]', now()
from    issue_branches branch join issue_workspaces workspace on workspace.issue_id = branch.issue_id;
insert into workspace_commands (id, company_id, workspace_id, repository_id, run_id, kind, command, exit_code, output, duration_ms, ended_at)
select  pg_temp.other(row_number() over (order by workspace_id)), company_id, workspace_id, repository_id, run_id, 'setup', 'npm ci', 0, '', 100, now() from run_works;
insert into issue_reviews (issue_id, company_id, agent_id, verdict, commits, created_at)
select  issue_id, company_id, pg_temp.agent(1), 'approved', array[head], now() from issue_branches;
insert into run_messages (id, company_id, run_id, agent_id, issue_id, body, author_user_id, state, sent_at, delivered_at, next_run_id, created_at)
select  pg_temp.other(n), r.company_id, r.id, r.agent_id, r.issue_id, 'Mind the gap.', pg_temp.user(1), case when n % 10 = 0 then 'new_run' else 'injected' end, now(), now(), case when n % 10 = 0 then pg_temp.run(n + 1) end, now()
from    generate_series(1, 20000) n join runs r on r.id = pg_temp.run(n);
update agents set volume = pg_temp.other(1 + ascii(right(id::text, 1)) % 3), volume_since = now();
`;
