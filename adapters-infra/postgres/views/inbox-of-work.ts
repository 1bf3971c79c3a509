import type { Sql } from "postgres";
import { closedStatuses } from "../../../core/model/issues/issue-status.ts";
import { openPullRequestStates } from "../../../core/model/repositories/pull-request.ts";
import { actsOfPeopleOn, setOf } from "../facts.ts";
import { entryOf } from "./inbox-columns.ts";

/** Issues whose checks or reviewers have woken their agent too often, until a person acts on them. Reads `r`. */
export const stuckWork = (sql: Sql) => sql`
  select  ${entryOf(sql, {
    kind: sql`'stuck_work'`,
    subject: "issue",
    id: sql`issue.id`,
    title: sql`issue.title`,
    since: sql`stuck.since`,
    version: sql`stuck.since`,
    issue: true,
    agent: true,
  })}
  from      r
  join      (
              select    company_id, issue_id, max(handed_over_at) as since
              from      (
                          select  company_id, issue_id, handed_over_at
                          from    pull_requests
                          where   handed_over_at is not null
                          and     state in ${setOf(sql, openPullRequestStates)}
                          union all
                          select  company_id, issue_id, handed_over_at
                          from    gate_checks
                          where   handed_over_at is not null
                        ) as each
              group by  company_id, issue_id
            ) as stuck on stuck.company_id = r.company_id
  join      issues issue on issue.id = stuck.issue_id and issue.status not in ${setOf(sql, closedStatuses)}
  left join agents agent on agent.id = issue.assignee_agent_id
  where     r.name = 'operator'
  and       not exists (
              select
              from    ${actsOfPeopleOn(sql, sql`issue.id`, sql`stuck.since`)}
            )
`;
