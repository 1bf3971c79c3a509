import * as Effect from "effect/Effect";
import type { Fragment, Sql } from "postgres";
import type { RunId } from "../../../core/model/shared/ids.ts";
import type { RunTask } from "../../../ports/views/run-views.ts";
import type { Database } from "../database.ts";
import { DatabaseFailure } from "../database-failure.ts";
import { fromJsonRow, type JsonRow, type Plain } from "../json-rows.ts";
import { areUncertain } from "../undelivered-messages.ts";

/** The run is one that the caller has just read. */
export const runTask = (database: Database, runId: RunId): Effect.Effect<RunTask> =>
  database
    .lookUp(readTask(runId))
    .pipe(
      Effect.flatMap((row) =>
        row === null
          ? Effect.die(new DatabaseFailure(`There is no run ${runId}.`))
          : Effect.succeed(taskOf(row)),
      ),
    );

interface TaskRow {
  readonly companyName: string;
  readonly houseRules: string;
  readonly issue: Plain<RunTask["issue"]>;
  readonly commentRows: readonly JsonRow[];
  readonly commentIds: readonly string[];
  readonly decisions: Plain<RunTask["decisions"]>;
  readonly hasMessages: boolean;
  readonly knowsTools: boolean;
}

const commentOf = fromJsonRow<RunTask["comments"][number]>({ createdAt: true });

const taskOf = ({
  companyName,
  houseRules,
  issue,
  commentRows,
  commentIds,
  decisions,
  hasMessages,
  knowsTools,
}: TaskRow): RunTask => ({
  companyName,
  houseRules,
  issue,
  comments: commentRows.map(commentOf),
  commentIds,
  decisions,
  hasMessages,
  knowsTools,
});

/** A caller can set the payload of a manual wake to anything. */
const idIn = (payload: Fragment, name: "commentId" | "approvalId", sql: Sql) => sql`
  case
    when ${payload} ->> ${name} ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then (${payload} ->> ${name})::uuid
  end
`;

/** Returns comments and decisions of the wakes that the run took up, and of the runs that it retries. */
const readTask = (runId: RunId) => (sql: Sql) =>
  sql<TaskRow[]>`
  with recursive attempts as (
    select  id, retry_of_run_id, context, created_at
    from    runs
    where   id = ${runId}
    union
    select  earlier.id, earlier.retry_of_run_id, earlier.context, earlier.created_at
    from    attempts
    join    runs earlier on earlier.id = attempts.retry_of_run_id
  ),
  named as (
    select  ${idIn(sql`context`, "commentId", sql)} as comment_id, ${idIn(sql`context`, "approvalId", sql)} as approval_id,
            created_at as at
    from    attempts
    union all
    select  ${idIn(sql`w.payload`, "commentId", sql)}, ${idIn(sql`w.payload`, "approvalId", sql)}, w.created_at
    from    wakes w
    -- An array, because the planner reckons with a hundred attempts and would rather read all wakes.
    where   w.run_id = any(array(select id from attempts))
  ),
  mentioned as (
    select    comment_id, min(at) as at
    from      named
    where     comment_id is not null
    group by  comment_id
  ),
  answered as (
    select    approval_id, max(at) as at
    from      named
    where     approval_id is not null
    group by  approval_id
  )
  select    c.name as company_name,
            coalesce(
              (
                select    body
                from      house_rules
                where     house_rules.company_id = c.id
                order by  revision_number desc
                limit     1
              ),
              ''
            ) as house_rules,
            case when i.id is not null then
              jsonb_build_object(
                'identifier', i.identifier, 'title', i.title, 'description', i.description, 'status', i.status,
                'priority', i.priority,
                'assigneeUserName', (select name from board_users where id = i.assignee_user_id)
              )
            end as issue,
            (
              select  coalesce(
                        jsonb_agg(
                          jsonb_build_object(
                            'id', comment.id, 'author', coalesce(author_agent.name, author_user.name, 'Boardroom'),
                            'body', comment.body, 'location', comment.location,
                            'created_at', comment.created_at
                          )
                          order by comment.created_at, comment.id
                        ),
                        '[]'
                      )
              from      mentioned
              join      comments comment on comment.id = mentioned.comment_id
              left join agents author_agent on author_agent.id = comment.author_agent_id
              left join board_users author_user on author_user.id = comment.author_user_id
              where     comment.company_id = r.company_id
              and       comment.deleted_at is null
            ) as comment_rows,
            (
              select  coalesce(jsonb_agg(comment_id order by at, comment_id), '[]')
              from    mentioned
            ) as comment_ids,
            (
              select  coalesce(
                        jsonb_agg(
                          jsonb_build_object(
                            'id', approval.id, 'type', approval.type, 'status', approval.status,
                            'note', approval.decision_note,
                            'issueIds', (
                              select  coalesce(jsonb_agg(link.issue_id order by link.position), '[]')
                              from    approval_issues link
                              where   link.approval_id = approval.id
                            )
                          )
                          order by answered.at, approval.id
                        ),
                        '[]'
                      )
              from    answered
              join    approvals approval on approval.id = answered.approval_id
              where   approval.company_id = r.company_id
              and     approval.requested_by_agent_id = r.agent_id
            ) as decisions,
            exists (
              select
              from    run_messages
              where   run_messages.agent_id = r.agent_id
              and     run_messages.issue_id is not distinct from r.issue_id
              and     run_messages.state = 'new_run'
              and     (
                        run_messages.next_run_id is null
                        or run_messages.next_run_id = r.id
                        or ${areUncertain(sql)}
                      )
            ) as has_messages,
            coalesce(
              (
                select    earlier.tools_listed_at is not null
                from      runs earlier
                where     earlier.agent_id = r.agent_id
                and       earlier.id < r.id
                and       earlier.adapter_type = r.adapter_type
                and       earlier.started_at is not null
                and       earlier.finished_at is not null
                order by  earlier.id desc
                limit     1
              ),
              false
            ) as knows_tools
  from      runs r
  join      companies c on c.id = r.company_id
  left join issues i on i.id = r.issue_id
  where     r.id = ${runId}
`;
