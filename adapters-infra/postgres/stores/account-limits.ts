import type { Sql } from "postgres";
import type { AccountHold, AccountWindows } from "../../../ports/stores/run-store.ts";
import { json } from "../rows.ts";

export const holdAccount =
  ({ agentId, adapterType, notBefore, runId, at }: AccountHold) =>
  (sql: Sql) =>
    sql`
  insert into account_holds (adapter_type, account_key, not_before, run_id, created_at)
  select  ${adapterType}, account, ${notBefore}, ${runId}, ${at}
  from    agents
  where   id = ${agentId}
  on conflict (adapter_type, account_key) do update
  set not_before = excluded.not_before,
      run_id     = excluded.run_id,
      created_at = excluded.created_at
  where account_holds.not_before < excluded.not_before
`;

export const saveWindows =
  ({ agentId, adapterType, runId, windows, at }: AccountWindows) =>
  (sql: Sql) =>
    sql`
  insert into usage_windows (
    adapter_type, account_key, name, status, used_percent, window_minutes, resets_at, run_id, reported_at
  )
  select      distinct on (reported.name)
              ${adapterType}, agent.account, reported.name, reported.status, reported."usedPercent",
              reported."windowMinutes", reported."resetsAt", ${runId}, ${at}
  from        agents agent
  cross join  jsonb_to_recordset(${json(sql, windows)}) as reported (
                name text, status text, "usedPercent" double precision, "windowMinutes" integer,
                "resetsAt" timestamptz
              )
  where       agent.id = ${agentId}
  on conflict (adapter_type, account_key, name) do update
  set status         = excluded.status,
      used_percent   = excluded.used_percent,
      window_minutes = excluded.window_minutes,
      resets_at      = excluded.resets_at,
      run_id         = excluded.run_id,
      reported_at    = excluded.reported_at
`;
