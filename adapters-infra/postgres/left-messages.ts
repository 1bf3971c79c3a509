import type { Sql } from "postgres";
import { brokenRunStatuses } from "../../core/runs/run-status.ts";
import { setOf } from "./facts.ts";

/**
 * Whether `run_messages` are left although a run took them up: that one was lost, or failed before its program had a session.
 * A value of each, because the planner would read all runs that ever failed for a condition on many.
 */
export const areLeftAgain = (sql: Sql) => sql`
  coalesce(
    (
      select  former.status = 'interrupted'
              or (former.status in ${setOf(sql, brokenRunStatuses)} and former.session_id_after is null)
      from    runs former
      where   former.id = run_messages.next_run_id
    ),
    false
  )
`;
