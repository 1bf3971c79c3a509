import type { z } from "zod";
import { CompanyRefused } from "../../../adapters-infra/postgres/company-move/company-refused.ts";
import type { CopiedCompany } from "../../../adapters-infra/postgres/company-move/copied-company.ts";
import { columnsOfTables, rowsOfTable } from "../../../adapters-infra/postgres/company-move/read-rows.ts";
import { clause } from "../../../core/model/shared/sentence.ts";
import { approvals } from "../../api/approvals/approvals.ts";
import { companies } from "../../api/companies/companies.ts";
import { goals } from "../../api/goals/goals.ts";
import { documents } from "../../api/issues/documents.ts";
import { interactions } from "../../api/issues/interactions.ts";
import { issues } from "../../api/issues/issues.ts";
import { labels } from "../../api/issues/labels.ts";
import { AskedGates } from "../../api/projects/gate-shapes.ts";
import { projects } from "../../api/projects/projects.ts";
import { repositories } from "../../api/projects/repositories.ts";
import { routines } from "../../api/routines/routines.ts";
import { triggers } from "../../api/routines/triggers.ts";
import { runs } from "../../api/runs/runs.ts";
import { secrets } from "../../api/secrets/secrets.ts";
import { vaults } from "../../api/secrets/vaults.ts";

type Fields = Readonly<Record<string, z.ZodType>>;

const bodyOf = ({ body }: { readonly body: unknown }): Fields => (body as z.ZodObject).shape;

/** The shapes of the interface for the rows of each table, by the names of its columns in a body. */
const shapes: Readonly<Record<string, Fields>> = {
  companies: bodyOf(companies.update),
  house_rules: bodyOf(companies.setHouseRules),
  labels: bodyOf(labels.create),
  goals: bodyOf(goals.create),
  projects: bodyOf(projects.create),
  issue_gates: AskedGates.element.shape,
  project_gates: AskedGates.element.shape,
  repositories: bodyOf(repositories.create),
  issues: bodyOf(issues.create),
  comments: bodyOf(issues.comment),
  documents: bodyOf(documents.put),
  document_revisions: bodyOf(documents.put),
  interactions: bodyOf(interactions.create),
  routines: bodyOf(routines.create),
  routine_triggers: bodyOf(triggers.addTrigger),
  secrets: bodyOf(secrets.create),
  vaults: bodyOf(vaults.create),
  approvals: { ...bodyOf(approvals.create), ...bodyOf(approvals.approve) },
  approval_comments: bodyOf(approvals.comment),
  run_messages: bodyOf(runs.say),
};

/** Rows whose text the service or a deletion has written. */
const exempt: Readonly<Record<string, string>> = { comments: "deleted_at is not null" };

/** The service itself writes these: kinds of interactions that no request makes, and their texts. */
const ofService: ReadonlySet<string> = new Set(["interactions.kind", "interactions.payload"]);

export interface CheckedField {
  readonly table: string;
  readonly column: string;
  /** Its name in a body. */
  readonly field: string;
  readonly schema: z.ZodType;
}

/**
 * The fields of a company's rows that requests set, with the shapes by which they are checked. References are left to the
 * database.
 */
export const checkedFields = async (sql: CopiedCompany["sql"]): Promise<readonly CheckedField[]> =>
  (await columnsOfTables(sql, Object.keys(shapes))).flatMap(({ table, column }) => {
    const field = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const schema = shapes[table]![field];
    return schema === undefined || ofService.has(`${table}.${column}`)
      ? []
      : [{ table, column, field, schema }];
  });

/** Refuses each field that the interface would refuse, or would store in another form; names its table and column. */
export const checkFields = async (sql: CopiedCompany["sql"], companyId: string): Promise<void> => {
  const fields = await checkedFields(sql);
  for (const table of new Set(fields.map((each) => each.table))) {
    const own = fields.filter((each) => each.table === table);
    const columns = own.map(({ column }) => column);
    for await (const row of rowsOfTable(sql, companyId, { table, columns, except: exempt[table] ?? "false" }))
      for (const { column, field, schema } of own) {
        const problem = problemOf(schema, row[field]);
        if (problem !== null)
          throw new CompanyRefused(
            `The file has ${table}.${column} that no company can have: ${clause(problem)}.`,
          );
      }
  }
};

/** null stands for a field that was not sent. */
const problemOf = (schema: z.ZodType, value: unknown): string | null => {
  if (value === null) return null;
  const parsed = schema.safeParse(value);
  if (!parsed.success) return parsed.error.issues[0]?.message ?? "it is invalid";
  return typeof value === "string" && typeof parsed.data === "string" && parsed.data !== value
    ? "the interface would store it in another form"
    : null;
};
