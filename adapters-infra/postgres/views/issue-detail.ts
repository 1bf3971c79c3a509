import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Document, planKey } from "../../../core/model/issues/documents/document.ts";
import { IssueNotFound } from "../../../core/model/issues/issue.ts";
import type { Label } from "../../../core/model/labels/label.ts";
import { liveRunStatuses } from "../../../core/model/runs/run-status.ts";
import type { IssueId } from "../../../core/model/shared/ids.ts";
import type {
  IssueContext,
  IssueDetailView,
  IssueInDetail,
  IssueViews,
} from "../../../ports/views/issue-views.ts";
import type { DocumentSummary } from "../../../ports/views/thread-views.ts";
import { goalColumns, issueColumns, projectColumns } from "../columns.ts";
import type { Database } from "../database.ts";
import { gatesOfIssue, hasGates, isUnmerged, setOf, workersOf } from "../facts.ts";
import { fixedText } from "../fixed-text.ts";
import { fromJsonRow, fromJsonText, type JsonRow } from "../json-rows.ts";
import { orFail } from "../rows.ts";
import { withLabels } from "./label-views.ts";

export const issueDetail = (database: Database): Pick<IssueViews, "get"> => ({
  get: (id) =>
    database.lookUp(getIssue(id)).pipe(
      orFail(() => new IssueNotFound()),
      Effect.map(detailOf),
    ),
});

const planInstants = { archivedAt: true, createdAt: true, updatedAt: true } as const;
const labelOf = fromJsonRow<Label>({ createdAt: true });
const projectOf = fromJsonText<IssueDetailView["project"]>(planInstants);
const goalOf = fromJsonText<IssueDetailView["goal"]>(planInstants);
const ancestorsOf = fromJsonText<IssueDetailView["ancestors"]>({ project: planInstants, goal: planInstants });
const documentOf = fromJsonRow<Document>({ createdAt: true, updatedAt: true });
const summaryOf = fromJsonRow<DocumentSummary>({ createdAt: true, updatedAt: true });
const relatedOf = fromJsonText<IssueContext>({
  projectHeldByBudgetAt: true,
  companyHeldByBudgetAt: true,
  assignee: { heldManuallyAt: true, heldByBudgetAt: true, companyHeldByBudgetAt: true },
});

/** The parts of a row that are not as the view has them. */
const parts = Object.entries<(part: never) => unknown>({
  labels: (rows: readonly JsonRow[]) => rows.map(labelOf),
  project: projectOf,
  goal: goalOf,
  ancestors: ancestorsOf,
  planDocument: (row: JsonRow | null) => (row === null ? null : documentOf(row)),
  documentSummaries: (rows: readonly JsonRow[]) => rows.map(summaryOf),
} satisfies { readonly [Name in keyof IssueDetailView]?: (part: never) => IssueDetailView[Name] });

/** Makes the view of the row itself: a copy of 40 fields costs as much as reading them. */
const detailOf = (row: Record<string, unknown>): IssueInDetail => {
  const related = relatedOf(row.related as string);
  delete row.related;
  for (const [name, partOf] of parts) row[name] = partOf(row[name] as never);
  const issue = row as unknown as IssueDetailView;
  return { id: issue.id, companyId: issue.companyId, issue, related };
};

const projectFactColumns = projectColumns.without("budget_monthly_cents, held_by_budget_at");

/** The `ProjectFacts` of a row named `issues`, as JSON text. */
const projectFacts = (sql: Sql) => sql`
  coalesce(
    (
      select  row_to_json(shown)
      from    (
                select  ${projectFactColumns.asFields(sql, "projects")}
                from    projects
                where   projects.id = issues.project_id
              ) as shown
    ),
    'null'
  )
`;

/** The `Goal` of a row named `issues`, as JSON text. */
const goalFacts = (sql: Sql) => sql`
  coalesce(
    (
      select  row_to_json(shown)
      from    (
                select  ${goalColumns.asFields(sql, "goals")}
                from    goals
                where   goals.id = issues.goal_id
              ) as shown
    ),
    'null'
  )
`;

/** The ancestors are read as `json`: building `jsonb` of them takes a quarter of the statement. */
const detailOfIssues = fixedText((sql) => {
  const project = projectFacts(sql);
  const goal = goalFacts(sql);
  const columns = ancestorColumns(sql);
  const shown = reference(sql);
  return sql`
  select  ${issueColumns(sql)}, ${withLabels(sql)},
          (
            select  jsonb_build_object('id', id, 'name', name)
            from    board_users
            where   id = issues.assignee_user_id
          ) as assignee_user,
          ${project} as project,
          ${goal} as goal,
          (
            with recursive ancestors as (
              select  ${columns}, 1 as distance
              from    issues parent
              where   parent.id = issues.parent_id
              union all
              select  ${columns}, ancestors.distance + 1
              from    ancestors
              join    issues parent on parent.id = ancestors.parent_id
              where   ancestors.distance < 50
            )
            select  coalesce(
                      json_agg(
                        json_build_object(
                          'id', issues.id, 'identifier', issues.identifier, 'title', issues.title,
                          'description', issues.description, 'status', issues.status, 'priority', issues.priority,
                          'assigneeAgentId', issues.assignee_agent_id, 'assigneeUserId', issues.assignee_user_id,
                          'projectId', issues.project_id, 'goalId', issues.goal_id,
                          'project', ${project}, 'goal', ${goal}
                        )
                        order by issues.distance
                      ),
                      '[]'
                    )
            from    ancestors issues
          ) as ancestors,
          (
            select  coalesce(jsonb_agg(${shown} order by other.id), '[]')
            from    issue_blockers link
            join    issues other on other.id = link.blocked_by_id
            where   link.issue_id = issues.id
          ) as blocked_by,
          (
            select  coalesce(jsonb_agg(${shown} order by other.id), '[]')
            from    issue_blockers link
            join    issues other on other.id = link.issue_id
            where   link.blocked_by_id = issues.id
          ) as blocks,
          (
            select  to_jsonb(documents) - 'search'
            from    documents
            where   issue_id = issues.id
            and     key in ${setOf(sql, [planKey])}
          ) as plan_document,
          (
            select  coalesce(jsonb_agg(to_jsonb(documents) - 'search' - 'body' order by key), '[]')
            from    documents
            where   issue_id = issues.id
          ) as document_summaries,
          (
            select  json_build_object(
                      'companyStatus', c.status, 'companyHeldByBudgetAt', c.held_by_budget_at,
                      'holderIsActive', issues.checkout_run_id is not null and exists (
                        select
                        from   runs
                        where  runs.id = issues.checkout_run_id
                        and    runs.status in ${setOf(sql, liveRunStatuses)}
                      ),
                      'projectHeldByBudgetAt', (
                        select  projects.held_by_budget_at
                        from    projects
                        where   projects.id = issues.project_id
                      ),
                      'hasGates', ${hasGates(sql, sql`issues`)},
                      'mergeGrants', (
                        select  coalesce(json_agg(json_build_object('agentId', g.agent_id, 'classes', g.classes)), '[]')
                        from    grants g
                        where   g.company_id = issues.company_id
                        and     g.permission = 'code:merge'
                        and     g.revoked_at is null
                      ),
                      'reviewers', (
                        select  coalesce(
                                  json_agg(
                                    json_build_object(
                                      'reviewerAgentId', g.reviewer_agent_id, 'reviewerUserId', g.reviewer_user_id
                                    )
                                  ),
                                  '[]'
                                )
                        from    ${gatesOfIssue(sql, sql`issues`)} as g
                      ),
                      'workers', (
                        select  coalesce(json_agg(w.id), '[]')
                        from    ${workersOf(sql, sql`issues.id`)} w
                      ),
                      'unmergedIn', (
                        select  coalesce(json_agg(b.repository_id), '[]')
                        from    issue_branches b
                        where   b.issue_id = issues.id
                        and     ${isUnmerged(sql)}
                      ),
                      'assignee', (
                        select  json_build_object(
                                  'id', a.id, 'lifecycleState', a.lifecycle_state, 'heldManuallyAt', a.held_manually_at,
                                  'heldByBudgetAt', a.held_by_budget_at,
                                  'companyHeldByBudgetAt', c.held_by_budget_at,
                                  'runtimeConfig', a.runtime_config
                                )
                        from    agents a
                        where   a.id = issues.assignee_agent_id
                      )
                    )
            from    companies c
            where   c.id = issues.company_id
          ) as related
  from    issues
`;
});

const getIssue = (id: IssueId) => (sql: Sql) =>
  sql<Record<string, unknown>[]>`${detailOfIssues(sql)} where id = ${id}`;

/** Columns of `issues parent` that an ancestor shows, and the way to its own parent. */
const ancestorColumns = (sql: Sql) => sql`
  parent.id, parent.identifier, parent.title, parent.description, parent.status, parent.priority,
  parent.assignee_agent_id, parent.assignee_user_id, parent.project_id, parent.goal_id, parent.parent_id
`;

/** An `IssueReference`, of `issues other`. */
const reference = (sql: Sql) => sql`
  jsonb_build_object(
    'id', other.id, 'identifier', other.identifier, 'title', other.title, 'status', other.status
  )
`;
