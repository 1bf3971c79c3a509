import type { Fragment, Sql } from "postgres";
import type { InboxScope } from "../../../core/model/inbox/inbox-entry.ts";
import { constantOf } from "../facts.ts";

/**
 * The values of a scope as the one row `scope`. Entries read them there, as `(select month from scope)`, so that their
 * text has no values and is written once.
 */
export const scopeRow = (
  { userId, since, month, budgetsHoldFrom, alertPercent }: InboxScope,
  sql: Sql,
) => sql`
  select ${userId}::uuid as user_id, ${since}::timestamptz as since, ${month}::timestamptz as month,
         ${budgetsHoldFrom}::timestamptz as budgets_hold_from, ${alertPercent}::int as alert_percent
`;

/** The columns of an entry; `issue` and `agent` are the aliases of the joined tables, if any. */
export const entryOf = (
  sql: Sql,
  parts: {
    readonly kind: Fragment;
    readonly subject: string | Fragment;
    readonly id: Fragment;
    readonly title: Fragment;
    readonly detail?: Fragment;
    readonly since: Fragment;
    readonly version: Fragment;
    readonly issue?: true;
    readonly agent?: boolean;
  },
) => sql`
  (${parts.kind}) || ':' || ${parts.id} as id, ${parts.kind} as kind, r.company_id, r.company_name,
  ${typeof parts.subject === "string" ? sql.unsafe(constantOf(parts.subject)) : parts.subject}::text as subject_type, ${parts.id}::text as subject_id, ${parts.title} as title,
  ${parts.issue ? sql`issue.id` : sql`null::uuid`} as issue_id,
  ${parts.issue ? sql`issue.identifier` : sql`null::text`} as issue_identifier,
  ${parts.issue ? sql`issue.title` : sql`null::text`} as issue_title,
  ${parts.agent ? sql`agent.id` : sql`null::uuid`} as agent_id,
  ${parts.agent ? sql`agent.name` : sql`null::text`} as agent_name,
  ${parts.detail ?? sql`'{}'::jsonb`} as detail, ${parts.since} as waiting_since, ${parts.version}::text as version
`;
