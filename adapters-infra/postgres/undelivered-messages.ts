import type { Fragment, Sql } from "postgres";
import { endsInDoubt } from "../../core/model/runs/messages/run-message.ts";
import { setOf } from "./facts.ts";

/**
 * Whether `run_messages` are left although a run took them up. A value of each, because the planner would read all runs that
 * ever ended so for a condition on many.
 */
export const areUncertain = (sql: Sql) => sql`
  coalesce(
    (
      select  former.status in ${setOf(sql, endsInDoubt)}
      from    runs former
      where   former.id = run_messages.next_run_id
    ),
    false
  )
`;

/** Whether a run before the one that took up a `message` may have had it. */
export const mayBeRepeated = (sql: Sql, adoptedBy: Fragment) => sql`
  (
    message.sent_at is not null
    or exists (
      select
      from    runs former
      where   former.agent_id = message.agent_id
      and     former.issue_id is not distinct from message.issue_id
      and     former.id > message.run_id
      and     former.id < ${adoptedBy}
      and     former.started_at is not null
      and     former.status in ${setOf(sql, endsInDoubt)}
    )
  )
`;
