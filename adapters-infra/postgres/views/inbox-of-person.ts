import type { Sql } from "postgres";
import { callsForAssignee } from "../../../core/model/inbox/inbox-entry.ts";
import { closedStatuses, newsStatuses } from "../../../core/model/issues/issue-status.ts";
import { doneAsOf, setOf } from "../facts.ts";
import { entryOf } from "./inbox-columns.ts";

/** Issues of the person that wait for them, with the change that made them so. Reads `r` and `scope`. */
export const assignedIssues = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`case issue.status when 'in_review' then 'review' else 'assigned_issue' end`,
    subject: "issue",
    id: sql`issue.id`,
    title: sql`issue.title`,
    detail: sql`jsonb_build_object('actorName', coalesce(agent.name, person.name))`,
    since: sql`last.created_at`,
    version: sql`last.id`,
    issue: true,
    agent: true,
  })}
  from          r
  join          issues issue
  on            issue.company_id = r.company_id
  and           issue.assignee_user_id = (select user_id from scope)
  and           issue.status not in ${setOf(sql, closedStatuses)}
  cross join    lateral (
                  select    id, created_at, actor_id
                  from      activity
                  where     entity_id = issue.id
                  and       action in ${setOf(sql, callsForAssignee)}
                  order by  created_at desc, id desc
                  limit     1
                ) as last
  left join     agents agent on agent.id = last.actor_id
  left join     board_users person on person.id = last.actor_id and person.id <> (select user_id from scope)
  where         r.name = 'operator'
  and           (
                  issue.status = 'in_review'
                  or not exists (
                    select
                    from    issue_blockers link
                    join    issues blocker on blocker.id = link.blocked_by_id
                    where   link.issue_id = issue.id
                    and     blocker.status not in ${setOf(sql, closedStatuses)}
                  )
                )
`;

/** Issues that the person watches, with what happened since they last looked. Reads `r` and `scope`. */
export const watchedIssues = (sql: Sql) => {
  const isMentioned = sql`watcher.mentioned_at > greatest(watcher.seen_at, (select since from scope))`;
  return sql`
  select  ${entryOf(sql, {
    kind: sql`case when ${isMentioned} then 'mention' else 'watched_issue' end`,
    subject: "issue",
    id: sql`issue.id`,
    title: sql`issue.title`,
    detail: sql`
      jsonb_build_object(
        'actorName', coalesce(agent.name, person.name), 'comments', news.comments, 'movedTo', news.moved_to,
        'doneAs', ${doneAsOf(sql, sql`issue`)}
      )
    `,
    since: sql`news.since`,
    version: sql`case when ${isMentioned} then watcher.mentioned_at::text else news.ids[1]::text end`,
    issue: true,
    agent: true,
  })}
  from          r
  join          issue_watchers watcher on watcher.company_id = r.company_id and watcher.user_id = (select user_id from scope)
  join          issues issue on issue.id = watcher.issue_id
  cross join    lateral (
                  select  min(created_at) as since,
                          array_agg(id order by created_at desc, id desc) as ids,
                          array_agg(actor_id order by created_at desc, id desc) as actor_ids,
                          count(*) filter (where action = 'issue.comment_added') as comments,
                          (
                            array_agg(details ->> 'to' order by created_at desc, id desc)
                            filter (where action = 'issue.status_changed')
                          )[1] as moved_to
                  from    activity
                  where   entity_id = issue.id
                  and     created_at > greatest(watcher.seen_at, (select since from scope))
                  and     actor_id is distinct from (select user_id from scope)
                  and     (
                            action = 'issue.comment_added'
                            or (
                              action = 'issue.status_changed'
                              and details ->> 'to' = issue.status
                              and issue.status in ${setOf(sql, newsStatuses)}
                              and issue.assignee_user_id is distinct from (select user_id from scope)
                            )
                          )
                ) as news
  left join     agents agent on agent.id = news.actor_ids[1]
  left join     board_users person on person.id = news.actor_ids[1]
  where         r.name = 'viewer'
  and           news.since is not null
`;
};
