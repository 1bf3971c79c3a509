import type { Sql } from "postgres";
import type { CurrentRun } from "../../../ports/views/agent-views.ts";
import { fromJsonRow } from "../json-rows.ts";

/** The row of `currentRunOf`, of `agents a`; null where none of its runs is running. */
export const currentRun = (sql: Sql) => sql`
  (
    select    jsonb_build_object(
                'id', r.id, 'issue_id', r.issue_id, 'issue_identifier', i.identifier, 'issue_title', i.title,
                'wake_reason', r.wake_reason, 'started_at', r.started_at
              )
    from      runs r
    left join issues i on i.id = r.issue_id
    where     r.agent_id = a.id
    and       r.status = 'running'
    order by  r.started_at, r.id
    limit     1
  ) as current_run_row
`;

export const currentRunOf = fromJsonRow<CurrentRun>({ startedAt: true });
