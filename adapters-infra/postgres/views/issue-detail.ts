import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import type { Goal } from "../../../core/goals/goal.ts";
import { type Document, planKey } from "../../../core/issues/documents/document.ts";
import { IssueNotFound } from "../../../core/issues/issue.ts";
import type { IssueId } from "../../../core/shared/ids.ts";
import type {
  IssueAncestor,
  IssueDetailView,
  IssueReference,
  IssueView,
  IssueViews,
} from "../../../ports/views/issue-views.ts";
import type { ProjectFacts } from "../../../ports/views/planning-views.ts";
import type { DocumentSummary } from "../../../ports/views/thread-views.ts";
import { issueColumns } from "../columns.ts";
import type { Database } from "../database.ts";
import { fromJsonRow, type JsonRow } from "../json-rows.ts";
import { orFail } from "../rows.ts";
import { withLabels } from "./label-views.ts";

export const issueDetail = (database: Database): Pick<IssueViews, "get"> => ({
  get: (id) =>
    database.lookUp(getIssue(id)).pipe(
      orFail(() => new IssueNotFound()),
      Effect.map(({ projectRow, goalRow, ancestorRows, planRow, summaryRows, ...issue }) => ({
        ...issue,
        project: projectRow === null ? null : fromJsonRow<ProjectFacts>(projectRow),
        goal: goalRow === null ? null : fromJsonRow<Goal>(goalRow),
        ancestors: ancestorRows.map(ancestorOf),
        planDocument: planRow === null ? null : fromJsonRow<Document>(planRow),
        documentSummaries: summaryRows.map((row) => fromJsonRow<DocumentSummary>(row)),
      })),
    ),
});

interface DetailRow extends IssueView {
  readonly projectRow: JsonRow | null;
  readonly goalRow: JsonRow | null;
  readonly ancestorRows: readonly AncestorRow[];
  readonly blockedBy: readonly IssueReference[];
  readonly blocks: readonly IssueReference[];
  readonly assigneeUser: IssueDetailView["assigneeUser"];
  readonly planRow: JsonRow | null;
  readonly summaryRows: readonly JsonRow[];
}

interface AncestorRow {
  readonly issue: Omit<IssueAncestor, "project" | "goal">;
  readonly project: JsonRow | null;
  readonly goal: JsonRow | null;
}

const ancestorOf = ({ issue, project, goal }: AncestorRow): IssueDetailView["ancestors"][number] => ({
  ...issue,
  project: project === null ? null : fromJsonRow<ProjectFacts>(project),
  goal: goal === null ? null : fromJsonRow<Goal>(goal),
});

/** A `ProjectFacts` of `projects`, as JSON. */
const projectFacts = (sql: Sql) =>
  sql`to_jsonb(projects) - array['budget_monthly_cents', 'held_by_budget_at']`;

const getIssue = (id: IssueId) => (sql: Sql) =>
  sql<DetailRow[]>`
  select  ${issueColumns(sql)}, ${withLabels(sql)},
          (
            select  jsonb_build_object('id', id, 'name', name)
            from    board_users
            where   id = issues.assignee_user_id
          ) as assignee_user,
          (select ${projectFacts(sql)} from projects where id = issues.project_id) as project_row,
          (select to_jsonb(goals) from goals where id = issues.goal_id)          as goal_row,
          (
            with recursive ancestors as (
              select  parent.*, 1 as distance
              from    issues parent
              where   parent.id = issues.parent_id
              union all
              select  parent.*, ancestors.distance + 1
              from    ancestors
              join    issues parent on parent.id = ancestors.parent_id
              where   ancestors.distance < 50
            )
            select  coalesce(
                      jsonb_agg(
                        jsonb_build_object(
                          'issue', jsonb_build_object(
                            'id', a.id, 'identifier', a.identifier, 'title', a.title,
                            'description', a.description, 'status', a.status, 'priority', a.priority,
                            'assigneeAgentId', a.assignee_agent_id, 'assigneeUserId', a.assignee_user_id,
                            'projectId', a.project_id, 'goalId', a.goal_id
                          ),
                          'project', (select ${projectFacts(sql)} from projects where id = a.project_id),
                          'goal', (select to_jsonb(goals) from goals where id = a.goal_id)
                        )
                        order by a.distance
                      ),
                      '[]'
                    )
            from    ancestors a
          ) as ancestor_rows,
          (
            select  coalesce(jsonb_agg(${reference(sql)} order by other.id), '[]')
            from    issue_blockers link
            join    issues other on other.id = link.blocked_by_id
            where   link.issue_id = issues.id
          ) as blocked_by,
          (
            select  coalesce(jsonb_agg(${reference(sql)} order by other.id), '[]')
            from    issue_blockers link
            join    issues other on other.id = link.issue_id
            where   link.blocked_by_id = issues.id
          ) as blocks,
          (
            select  to_jsonb(documents) - 'search'
            from    documents
            where   issue_id = issues.id
            and     key = ${planKey}
          ) as plan_row,
          (
            select  coalesce(jsonb_agg(to_jsonb(documents) - 'search' - 'body' order by key), '[]')
            from    documents
            where   issue_id = issues.id
          ) as summary_rows
  from    issues
  where   id = ${id}
`;

/** An `IssueReference`, of `issues other`. */
const reference = (sql: Sql) => sql`
  jsonb_build_object(
    'id', other.id, 'identifier', other.identifier, 'title', other.title, 'status', other.status
  )
`;
