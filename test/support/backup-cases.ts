import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import postgres from "postgres";
import { leftOut } from "../../adapters-infra/postgres/backup/catalogue.ts";
import type { ApiService } from "./api-service.ts";
import { fileForm } from "./file-form.ts";
import { hostileUnits } from "./hostile-texts.ts";
import { oneOfEach } from "./one-of-each.ts";

/** The value of a secret, which no backup shows. */
export const secretValue = "a-secret-value-that-no-backup-shows-7f3c";

/** Texts with all that the formats of a backup could trip over. */
const Text = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 12 }),
      fc.constantFrom("\\N", "\\.", "\n\\.\n", "\t", "\\", "\\t", "'", '"', "\\x00", "\u2028"),
      fc.constantFrom(...hostileUnits.filter((unit) => unit.isWellFormed())),
    ),
    { minLength: 1, maxLength: 12 },
  )
  // PostgreSQL and the interface take no NUL and no control characters.
  .map((parts) => `x${parts.join("").replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "")}`);

/** Fills a company over HTTP, with generated texts, so that every table has a row. */
export const furnish = async (api: ApiService, seed: number): Promise<{ readonly companyId: string }> => {
  const things = await oneOfEach(api);
  const { companyId, issueId, agentId } = things;
  await api.make(`/api/heartbeat-runs/${things.runId}/messages`, { body: "Look here." });
  const texts = fc.sample(Text, { numRuns: 60, seed });
  for (const text of texts) {
    const { id } = await api.issue(companyId, {
      title: text.replace(/\s+/g, " ").slice(0, 200),
      description: text,
    });
    await api.make(`/api/issues/${id}/comments`, { body: text });
  }
  const blocked = await api.issue(companyId, { assigneeAgentId: agentId });
  await api.patch(`/api/issues/${blocked.id}`, { blockedByIssueIds: [issueId], labelIds: [things.labelId] });
  await api.patch(`/api/issues/${issueId}/comments/${things.commentId}`, { body: "Other words" });
  await api.make(`/api/companies/${companyId}/issues/${blocked.id}/attachments`, fileForm("a second file"));
  await api.make(`/api/companies/${companyId}/secrets`, { name: "Hidden", value: secretValue });
  await api.make(`/api/companies/${companyId}/cost-events`, {
    agentId,
    provider: "p",
    model: "m",
    costCents: 12,
    inputTokens: 5,
    cachedInputTokens: 1,
    outputTokens: 2,
  });
  await mkdir(join(api.dataDir, "skills", "deploying"), { recursive: true });
  await writeFile(
    join(api.dataDir, "skills", "deploying", "SKILL.md"),
    "---\nname: deploying\n---\nDeploy.\n",
  );
  await mkdir(join(api.dataDir, "adapters"), { recursive: true });
  await writeFile(join(api.dataDir, "adapters", "registry.json"), "[]\n");
  await writeFile(join(api.dataDir, "runners", "far.yaml"), "kind: docker\n");
  await fillTheRest(api.sql);
  for (const { blobKey } of await api.sql`select blob_key as "blobKey" from run_log_segments`) {
    const path = join(api.dataDir, "blobs", blobKey);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "one log line\n");
  }
  return { companyId };
};

/** Tables that no short story fills over HTTP. */
const fillTheRest = async (sql: postgres.Sql): Promise<void> => {
  await sql.unsafe(String.raw`
    insert into account_holds (adapter_type, account_key, run_id, not_before, created_at)
    select 'process', 'k', id, now() + interval '1 hour', now() from runs limit 1;
    insert into usage_windows (adapter_type, account_key, name, status, used_percent, window_minutes, resets_at, run_id, reported_at)
    select 'process', 'k', 'five_hour', 'warning', 90.5, 300, now(), id, now() from runs limit 1;
    insert into approval_comments (id, company_id, approval_id, body, created_at)
    select gen_random_uuid(), company_id, id, E'tab\tand\\N', now() from approvals;
    insert into approval_issues (company_id, approval_id, issue_id, created_at)
    select a.company_id, a.id, i.id, now() from approvals a join issues i using (company_id) limit 3;
    insert into approval_rounds (company_id, approval_id, payload_revision, payload, status)
    select company_id, id, 1, '{"a": "\\n"}', 'revision_requested' from approvals;
    insert into cost_run_days (company_id, agent_id, day, previous_day, runs)
    select company_id, id, current_date, '-infinity', 1 from agents;
    insert into cost_folds (company_id, before) select id, '2020-02-01T00:00:00Z' from companies;
    insert into cost_issue_days (
      company_id, day, issue_id, previous_day, cost_cents, priced_cents, input_tokens, cached_input_tokens, output_tokens,
      event_count, unknown_event_count, unknown_tokens, run_count
    )
    select company_id, date '2020-01-31', id, date '-infinity', 1.5, 0.5, 1, 2, 3, 2, 1, 6, 1 from issues
    union all select id, date '2020-01-31', null, date '-infinity', 1, 0, 1, 2, 3, 1, 0, 0, 0 from companies;
    insert into idempotency_keys (scope, request, reserved_id, expires_at, lease_until, answer)
    values ('\x00ff0a5c', '\x', gen_random_uuid(), now() + interval '1 day', now(), '{"a": null}');
    insert into inbox_dismissals (user_id, company_id, entry_id, version, dismissed_at)
    select user_id, company_id, 'e', '1', now() from memberships limit 1;
    insert into saved_views (id, company_id, user_id, name, query, created_at, updated_at)
    select gen_random_uuid(), company_id, user_id, E'a\\N\tb', 'status=todo', now(), now() from memberships limit 1;
    insert into loose_blobs (blob_key, due_at) values ('loose/1', now() + interval '1 hour'), ('loose/2', '-infinity');
    insert into repositories (id, company_id, project_id, url, default_branch, credential_secret_id, directory, mode, problem, checked_at, created_at, updated_at)
    select gen_random_uuid(), company_id, id, 'https://example.com/r.git', 'main', (select s.id from secrets s where s.company_id = p.company_id limit 1), 'src/app', 'issue', E'a\\N\tb', now(), now(), now()
    from   projects p;
    insert into house_rules (company_id, revision_number, body, created_at)
    select id, 1, E'a\\N\tb', now()
    from   companies;
    insert into mcp_servers (id, company_id, name, url, headers, all_agents, agent_ids, roles, tools, tested_at, created_at, updated_at)
    select gen_random_uuid(), id, 'tickets', 'https://example.com/mcp', '{"A": {"type": "plain", "value": "a\\b"}}', true, array[id], array['a,"b'], '[]', now(), now(), now()
    from   companies;
    insert into notice_people (user_id, settings, seen_at, digest_day)
    select id, '{"a": "\\n"}', now(), '2026-11-28' from board_users;
    insert into notice_chats (user_id, format, url, sealed, last_error, created_at)
    select id, 'slack', 'https://hooks.slack.com/…', '\x00', E'a\N\tb', now() from board_users;
    insert into notice_cursors (company_id) select id from companies;
    insert into notices (id, user_id, company_id, subject, version, kind, noticed_at, sendings)
    select gen_random_uuid(), user_id, company_id, 'e', '1', 'decision', now(), '{"push": {"state": "over"}}'
    from   memberships;
    insert into push_subscriptions (id, user_id, session_id, endpoint_hash, sealed, last_error, created_at)
    select gen_random_uuid(), user_id, id, hash, '\x00', E'a\N\tb', now() from board_tokens;
    insert into push_deliveries (notice_id, subscription_id, version)
    select notices.id, push_subscriptions.id, '1' from notices, push_subscriptions limit 1;
    insert into event_subscriptions (id, company_id, url, format, events, sealed, secret_version, last_error, created_at, updated_at)
    select gen_random_uuid(), id, 'https://example.com/events', 'webhook', array['issue.*','a,"b'], '\x00ff', 1, E'a\N\tb', now(), now()
    from   companies;
    insert into event_deliveries (id, company_id, subscription_id, event_id, type, subject_type, subject_id, actor_type, details, occurred_at, state, is_head, next_attempt_at, created_at)
    select gen_random_uuid(), company_id, id, gen_random_uuid(), 'issue.created', 'issue', gen_random_uuid(), 'system', '{"a": "\n"}', now(), 'pending', true, now(), now()
    from   event_subscriptions;
    insert into issue_branches (issue_id, repository_id, company_id, branch, base_branch, base_commit, created_at, updated_at)
    select i.id, r.id, r.company_id, 'boardroom/' || i.identifier, 'main', repeat('a', 40), now(), now()
    from   repositories r join issues i using (company_id);
    insert into project_gates (project_id, company_id, position, name, kind, reviewer_agent_id)
    select p.id, p.company_id, 0, E'a\\N\tb', 'review', (select a.id from agents a where a.company_id = p.company_id limit 1)
    from   projects p where exists (select from agents a where a.company_id = p.company_id);
    insert into issue_gates (issue_id, company_id, position, name, kind, command, timeout_sec, max_wakes)
    select id, company_id, 0, E'a\\N\tb', 'command', 'make', 60, 3 from issues;
    insert into issue_reviews (issue_id, company_id, agent_id, verdict, commits, created_at)
    select i.id, i.company_id, (select a.id from agents a where a.company_id = i.company_id limit 1), 'approved', array['a'], now()
    from   issues i where exists (select from agents a where a.company_id = i.company_id);
    insert into merges (id, company_id, issue_id, repository_id, method, from_commit, state, by_kind, lease_until, created_at)
    select gen_random_uuid(), company_id, issue_id, repository_id, 'squash', base_commit, 'failed', 'system', now(), now() from issue_branches;
    insert into gate_checks (issue_id, company_id, gate, command, commits, state, log, wakes, lease_until, started_at)
    select id, company_id, 'g', 'make', array['a'], 'failed', E'a\\N\tb', 1, now(), now() from issues;
    insert into done_requests (issue_id, company_id, agent_id, run_id, comment, created_at)
    select i.id, i.company_id, (select a.id from agents a where a.company_id = i.company_id limit 1), r.id, E'a\\N\tb', now()
    from   issues i join runs r on r.company_id = i.company_id and r.id = (select id from runs where company_id = i.company_id limit 1);
    insert into pull_requests (id, company_id, issue_id, repository_id, branch, into_branch, title, body, state, number, url, checks, failed_checks, wakes, by_kind, changed_at, poll_at, created_at)
    select gen_random_uuid(), company_id, issue_id, repository_id, branch, 'main', E'a\\N\tb', '', 'open', 1, 'https://example.com/1', 'failed', array['a,"b'], 1, 'system', now(), now() + interval '1 day', now() from issue_branches;
    insert into host_notes (pull_request_id, company_id, host_id, created_at)
    select id, company_id, 'check:1', now() from pull_requests;
    insert into issue_workspaces (id, company_id, issue_id, volume, run_id, problem, clones, used_at, created_at)
    select gen_random_uuid(), company_id, id, 'v', gen_random_uuid(), E'tab\\t', '[{"directory": "\\\\N"}]', now(), now() from issues limit 1;
    insert into run_works (run_id, repository_id, company_id, issue_id, workspace_id, head, files, left_out, captured_at)
    select t.run_id, b.repository_id, t.company_id, t.issue_id, t.id, b.base_commit, b.base_commit, '[{"path": "\\\\."}]', now()
    from   issue_workspaces t join issue_branches b using (issue_id);
    insert into run_pushes (run_id, company_id, pushes, bytes)
    select id, company_id, 3, 3000000000 from runs;
    insert into workspace_commands (id, company_id, workspace_id, repository_id, kind, command, exit_code, output, duration_ms, ended_at)
    select gen_random_uuid(), t.company_id, t.id, b.repository_id, 'setup', 'npm ci', 0, E'a\\N\tb', 12, now()
    from   issue_workspaces t join issue_branches b using (issue_id);
    insert into routine_runs (id, company_id, routine_id, source, status, triggered_at, trigger_payload, routine_revision_id, created_at)
    select gen_random_uuid(), company_id, id, 'manual', 'skipped', now(), '{"deep": [1, "\\"]}', latest_revision_id, now()
    from   routines;
    insert into run_events (company_id, run_id, seq, type, message, created_at)
    select company_id, id, n, 'lifecycle', 'm', now() from runs, generate_series(1, 3) n;
    insert into run_log_segments (company_id, run_id, byte_offset, bytes, blob_key, created_at)
    select company_id, id, 0, 12, 'run-logs/' || id || '/0', now() from runs;
    insert into secret_access_events (id, company_id, secret_id, provider, agent_id, config_path, run_id, outcome, created_at)
    select gen_random_uuid(), s.company_id, s.id, 'local_encrypted', r.agent_id, 'p', r.id, 'success', now()
    from   secrets s join runs r using (company_id);
    insert into secret_bindings (agent_id, config_path, company_id, secret_id)
    select a.id, 'env.S', s.company_id, s.id from secrets s join agents a using (company_id) limit 1;
    insert into sign_in_codes (id, user_id, purpose, session_name, hash, created_at, expires_at)
    select gen_random_uuid(), id, 'open', 's', uuid_send(id), now(), 'infinity' from board_users;
    insert into identities (issuer, subject, user_id, created_at)
    select 'https://id.example', id, id, now() from board_users;
    insert into invited_addresses (user_id, address, created_at)
    select id, id || '@example.com', now() from board_users;
    insert into oauth_clients (id, name, redirect_uris, created_at)
    values (gen_random_uuid(), 'Claude', '{http://127.0.0.1/callback}', now());
    insert into assistants (
      id, user_id, client_id, name, host, scopes, code_hash, code_challenge, code_redirect_uri, code_expires_at,
      expires_at, created_at
    )
    select gen_random_uuid(), id, 'https://assistant.example/client.json', 'Claude', 'assistant.example', '{read}',
           uuid_send(id), 'c', 'https://assistant.example/callback', now(), now() + interval '1 day', now()
    from   board_users;
    insert into assistant_tokens (hash, assistant_id, kind, scopes, expires_at, created_at)
    select uuid_send(id), id, 'refresh', scopes, now() + interval '1 day', now() from assistants;
    insert into email_addresses (user_id, address, confirmed_at)
    select id, id || '@example.com', now() from board_users;
    insert into email_confirmations (id, user_id, address, hash, expires_at, created_at)
    select gen_random_uuid(), id, id || '@example.com', uuid_send(id), now(), now() from board_users;
    insert into passkeys (id, user_id, name, credential_id, public_key, counter, created_at)
    select gen_random_uuid(), id, 'Phone', uuid_send(id), '\\x00', 0, now() from board_users;
    insert into sign_ins (id, user_id, method, device, address, new_device, created_at)
    select gen_random_uuid(), id, 'link', 'Firefox on Linux', '192.0.2.1', false, now() from board_users;
    insert into task_sessions (company_id, agent_id, adapter_type, task_key, params, last_run_id, updated_at)
    select distinct on (agent_id) company_id, agent_id, 'process', 'k', '{"session": "s"}'::jsonb, id, now() from runs;
  `);
};

/** The tables that a backup must hold and that have no row. */
export const emptyTables = async (sql: postgres.Sql): Promise<readonly string[]> => {
  const names = (await tablesOf(sql)).filter((name) => leftOut[name] === undefined);
  const empty = await Promise.all(
    names.map(async (name) => ((await sql`select from ${sql(name)} limit 1`).length === 0 ? [name] : [])),
  );
  return empty.flat();
};

const tablesOf = async (sql: postgres.Sql): Promise<readonly string[]> =>
  (
    await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables
      where  table_schema = 'public' and table_type = 'BASE TABLE' order by 1
    `
  ).map(({ name }) => name);

/** Settings that tell a copy from its original. */
const changedByRestore = new Set<unknown>(["installation", "restored", "manual_backup"]);

/** Columns that name a transaction of the server: a restore gives them values of its own. */
const transactionNumbers = ["xid", "after_xid"];

/**
 * Every field of every row of every table, by table, without those that a restore changes: processes of running runs, the
 * hold of the copy, and numbers of transactions.
 */
export const everyField = async (url: string): Promise<Readonly<Record<string, readonly unknown[]>>> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const tables: Record<string, readonly unknown[]> = {};
    for (const name of await tablesOf(sql)) {
      if (leftOut[name] !== undefined) continue;
      const rows = await sql<{ row: Record<string, unknown> }[]>`
        select   to_jsonb(t) - ${transactionNumbers}::text[] as row
        from     ${sql(name)} t
        order by (to_jsonb(t) - ${transactionNumbers}::text[])::text
      `;
      tables[name] = rows
        .map(({ row }) => row)
        .filter(({ name: setting }) => !(name === "instance_settings" && changedByRestore.has(setting)))
        .map((row) =>
          name === "runs" && row.status === "running" ? { ...row, scope: null, process: null } : row,
        );
    }
    const sequences = await sql`
      select sequencename, coalesce(last_value, 0)::text as last from pg_sequences where schemaname = 'public' order by 1
    `;
    return { ...tables, sequences: [...sequences] };
  } finally {
    await sql.end();
  }
};
