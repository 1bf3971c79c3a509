import type { Sql } from "postgres";
import { brokenRunStatuses } from "../../core/runs/run-status.ts";
import { setOf } from "./facts.ts";

/** Whether `run_messages` are left although a run took them up: that one was lost, or failed before its program had a session. */
export const areLeftAgain = (sql: Sql) => sql`
  exists (
    select
    from    runs former
    where   former.id = run_messages.next_run_id
    and     (
              former.status = 'interrupted'
              or (former.status in ${setOf(sql, brokenRunStatuses)} and former.session_id_after is null)
            )
  )
`;
