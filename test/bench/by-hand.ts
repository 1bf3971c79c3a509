import { createHash } from "node:crypto";
import postgres from "postgres";
import { v7 } from "uuid";

/**
 * What the service does for a request, by hand: the same statements through the same client, with nothing around them.
 * The measure of everything else.
 */
export const byHand = (url: string, connections: number) => {
  const sql = postgres(url, { max: connections, onnotice: () => {} });
  const hashOf = (token: string) => createHash("sha256").update(token).digest();

  const board = async (token: string) => {
    const [user] = await sql`
      select u.id, u.name, u.is_admin, t.id as token_id,
             (select coalesce(jsonb_object_agg(company_id, role), '{}') from memberships where user_id = u.id) as roles,
             t.last_used_at is null or t.last_used_at < ${new Date()}::timestamptz - interval '1 minute' as stale
      from   board_tokens t
      join   board_users u on u.id = t.user_id
      where  t.hash = ${hashOf(token)} and t.kind = 'token' and t.revoked_at is null
      and    (t.expires_at is null or t.expires_at > now()) and u.disabled_at is null`;
    return user!;
  };
  const agent = async (key: string, runId: string) => {
    const [found] = await sql`
      select a.id, a.company_id, a.name, k.id as key_id,
             exists (select from runs where id = ${runId} and agent_id = a.id and status in ('queued', 'running')) as live
      from   agent_keys k
      join   agents a on a.id = k.agent_id
      where  k.hash = ${hashOf(key)} and k.revoked_at is null`;
    return found!;
  };
  const locate = (id: string) => sql`select id, company_id from issues where id = ${id}`;
  const issueColumns = sql`
    id, company_id, identifier, title, description, status, priority, assignee_agent_id, checkout_run_id, held_since,
    parent_id, project_id, goal_id, billing_code, created_by_agent_id, created_by_user_id, started_at, completed_at,
    cancelled_at, last_activity_at, created_at, updated_at`;

  return {
    end: () => sql.end({ timeout: 5 }),
    sql,

    issue: async (token: string, id: string) => {
      await board(token);
      await locate(id);
      await sql`
        select ${issueColumns},
               (select to_jsonb(projects) from projects where id = issues.project_id) as project_row,
               (select to_jsonb(goals) from goals where id = issues.goal_id) as goal_row,
               (
                 with recursive ancestors as (
                   select parent.*, 1 as distance from issues parent where parent.id = issues.parent_id
                   union all
                   select parent.*, ancestors.distance + 1
                   from   ancestors join issues parent on parent.id = ancestors.parent_id
                   where  ancestors.distance < 50
                 )
                 select coalesce(jsonb_agg(jsonb_build_object(
                          'issue', jsonb_build_object(
                            'id', a.id, 'identifier', a.identifier, 'title', a.title, 'description', a.description,
                            'status', a.status, 'priority', a.priority, 'assigneeAgentId', a.assignee_agent_id,
                            'projectId', a.project_id, 'goalId', a.goal_id),
                          'project', (select to_jsonb(projects) from projects where id = a.project_id),
                          'goal', (select to_jsonb(goals) from goals where id = a.goal_id)
                        ) order by a.distance), '[]')
                 from   ancestors a
               ) as ancestor_rows,
               (
                 select coalesce(jsonb_agg(jsonb_build_object('id', other.id, 'title', other.title)), '[]')
                 from   issue_blockers link join issues other on other.id = link.blocked_by_id
                 where  link.issue_id = issues.id
               ) as blocked_by,
               (
                 select coalesce(jsonb_agg(jsonb_build_object('id', other.id, 'title', other.title)), '[]')
                 from   issue_blockers link join issues other on other.id = link.issue_id
                 where  link.blocked_by_id = issues.id
               ) as blocks
        from   issues
        where  id = ${id}`;
    },

    page: async (token: string, companyId: string) => {
      await board(token);
      await sql`
        select ${issueColumns}, priority_rank from issues where company_id = ${companyId}
        order by -priority_rank desc, last_activity_at desc, id desc limit 51`;
    },

    createIssue: async (token: string, companyId: string, title: string) => {
      const user = await board(token);
      await sql.begin(async (tx) => {
        const [company] = await tx`
          select issue_prefix || '-' || nextval(issue_numbers_of(id)::regclass) as identifier
          from companies where id = ${companyId}`;
        const [id, at] = [v7(), new Date()];
        await Promise.all([
          tx`
            insert into issues (
              id, company_id, identifier, title, status, priority, created_by_user_id, last_activity_at, created_at,
              updated_at
            )
            values (
              ${id}, ${companyId}, ${company!.identifier}, ${title}, 'backlog', 'medium', ${user.id}, ${at}, ${at}, ${at}
            )`,
          noteActivity(
            tx,
            companyId,
            user.id,
            "issue.created",
            id,
            { identifier: company!.identifier, title },
            at,
          ),
        ]);
      });
    },

    comment: async (token: string, issueId: string, body: string) => {
      const user = await board(token);
      await locate(issueId);
      await sql.begin(async (tx) => {
        const [issue] = await tx`select ${issueColumns} from issues where id = ${issueId} for no key update`;
        const at = new Date();
        const id = v7();
        await Promise.all([
          tx`update issues set last_activity_at = ${at} where id = ${issueId}`,
          tx`
            insert into comments (id, company_id, issue_id, body, author_user_id, created_at, updated_at)
            values (${id}, ${issue!.company_id}, ${issueId}, ${body}, ${user.id}, ${at}, ${at})`,
          noteActivity(
            tx,
            issue!.company_id,
            user.id,
            "issue.comment_added",
            issueId,
            { identifier: issue!.identifier, commentId: id, bodySnippet: body },
            at,
          ),
        ]);
      });
    },

    checkout: async (key: string, runId: string, issueId: string): Promise<boolean> => {
      const caller = await agent(key, runId);
      await locate(issueId);
      return sql.begin(async (tx) => {
        const [[issue]] = await Promise.all([
          tx`select ${issueColumns} from issues where id = ${issueId} for no key update`,
          tx`select a.*, c.status from agents a join companies c on c.id = a.company_id where a.id = ${caller.id}`,
          tx`
            select blocker.id from issue_blockers link join issues blocker on blocker.id = link.blocked_by_id
            where  link.issue_id = ${issueId} and blocker.status not in ('done', 'cancelled')`,
          tx`select id from runs where id = ${runId} and status in ('queued', 'running') for share`,
        ]);
        if (issue!.checkout_run_id !== null) {
          await tx`
            select id from runs where id = ${issue!.checkout_run_id} and status in ('queued', 'running') for share`;
          return false;
        }
        const at = new Date();
        await Promise.all([
          tx`
            update issues
            set    status = 'in_progress', assignee_agent_id = ${caller.id}, checkout_run_id = ${runId},
                   held_since = ${at}, started_at = ${at}, last_activity_at = ${at}, updated_at = ${at}
            where  id = ${issueId}`,
          noteActivity(
            tx,
            issue!.company_id,
            caller.id,
            "issue.checked_out",
            issueId,
            { identifier: issue!.identifier, agentId: caller.id },
            at,
          ),
        ]);
        return true;
      });
    },
  };
};

const noteActivity = (
  tx: postgres.TransactionSql,
  companyId: string,
  actorId: string,
  action: string,
  entityId: string,
  details: postgres.JSONValue,
  at: Date,
) => tx`
  insert into activity (
    id, company_id, actor_kind, actor_id, action, entity_type, entity_id, details, created_at
  )
  values (
    ${v7()}, ${companyId}, 'board', ${actorId}, ${action}, 'issue', ${entityId}, ${tx.json(details)}, ${at}
  )`;
