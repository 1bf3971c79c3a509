import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Label, LabelNotFound } from "../../../core/model/labels/label.ts";
import type { CompanyId, IssueId, LabelId } from "../../../core/model/shared/ids.ts";
import type { LabelName, LabelStore } from "../../../ports/stores/label-store.ts";
import { labelColumns } from "../columns.ts";
import { folded } from "../folded.ts";
import { orFail } from "../rows.ts";
import type { Statements } from "../transaction.ts";

export const labelStore = (tx: Statements): LabelStore => ({
  insert: (label) => tx.write(insertLabel(label)),
  lock: (id) => tx.first(lockLabel(id)).pipe(orFail(() => new LabelNotFound())),
  delete: (id) => tx.write(deleteLabel(id)),
  existing: (ids, companyId) =>
    ids.length === 0 ? Effect.succeed([]) : tx.read(existingLabels(ids, companyId)),
  on: (issueId) => tx.read(labelsOn(issueId)),
  replaceOn: (issueId, companyId, ids) =>
    tx.write(removeLabels(issueId, ids)).pipe(Effect.andThen(tx.write(addLabels(issueId, companyId, ids)))),
});

const insertLabel = (label: Label) => (sql: Sql) =>
  sql`
  insert into labels ${labelColumns.values(sql, label)}
`;

const lockLabel = (id: LabelId) => (sql: Sql) =>
  sql<Label[]>`
  select  ${labelColumns(sql)}
  from    labels
  where   id = ${id}
  for     update
`;

const deleteLabel = (id: LabelId) => (sql: Sql) =>
  sql`
  delete from labels
  where  id = ${id}
`;

const existingLabels = (ids: readonly LabelId[], companyId: CompanyId) => (sql: Sql) =>
  sql<LabelName[]>`
  select    id, name
  from      labels
  where     id = any(${ids}::uuid[])
  and       company_id = ${companyId}
  order by  id
  for       key share
`;

const labelsOn = (issueId: IssueId) => (sql: Sql) =>
  sql<LabelName[]>`
  select    label.id, label.name
  from      issue_labels link
  join      labels label on label.id = link.label_id
  where     link.issue_id = ${issueId}
  order by  ${folded(sql, "label.name")}
`;

const removeLabels = (issueId: IssueId, except: readonly LabelId[]) => (sql: Sql) =>
  sql`
  delete from issue_labels
  where  issue_id = ${issueId}
  and    label_id <> all(${except}::uuid[])
`;

const addLabels = (issueId: IssueId, companyId: CompanyId, ids: readonly LabelId[]) => (sql: Sql) =>
  sql`
  insert into issue_labels (company_id, issue_id, label_id)
  select ${companyId}, ${issueId}, label_id
  from   unnest(${ids}::uuid[]) as label (label_id)
  on conflict do nothing
`;
