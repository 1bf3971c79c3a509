import type { Sql } from "postgres";
import { type Label, LabelNotFound } from "../../../core/model/labels/label.ts";
import type { CompanyId, LabelId } from "../../../core/model/shared/ids.ts";
import type { IssueViews } from "../../../ports/views/issue-views.ts";
import { labelColumns } from "../columns.ts";
import type { Database } from "../database.ts";
import { folded } from "../folded.ts";
import { orFail } from "../rows.ts";

export const labelViews = (database: Database): Pick<IssueViews, "labels" | "label"> => ({
  labels: (companyId) => database.read(labels(companyId)),
  label: (id) => database.first(label(id)).pipe(orFail(() => new LabelNotFound())),
});

/** The labels of a row of `issues`, by name. */
export const withLabels = (sql: Sql) => sql`
  (
    select  coalesce(jsonb_agg(${labelObject(sql)} order by ${folded(sql, "l.name")}), '[]')
    from    issue_labels link
    join    labels l on l.id = link.label_id
    where   link.issue_id = issues.id
  ) as labels
`;

/** A `Label`, of `labels l`. */
const labelObject = (sql: Sql) => sql`
  jsonb_build_object(
    'id', l.id, 'companyId', l.company_id, 'name', l.name, 'color', l.color,
    'createdAt', l.created_at
  )
`;

const labels = (companyId: CompanyId) => (sql: Sql) =>
  sql<Label[]>`
  select    ${labelColumns(sql)}
  from      labels
  where     company_id = ${companyId}
  order by  ${folded(sql, "name")}
`;

const label = (id: LabelId) => (sql: Sql) =>
  sql<Label[]>`
  select  ${labelColumns(sql)}
  from    labels
  where   id = ${id}
`;
