import type { z } from "zod";
import { clause } from "../../core/model/shared/sentence.ts";
import { CompanyRefused } from "../postgres/company-move/company-refused.ts";
import type { CopiedCompany } from "../postgres/company-move/copied-company.ts";
import { columnsOfTables, rowsOfTable } from "../postgres/company-move/read-rows.ts";

/** The shapes of bodies of the published interface, by tables and by the names of columns in a body. */
export type RowShapes = Readonly<Record<string, Readonly<Record<string, z.ZodType>>>>;

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
export const checkedFields = async (
  sql: CopiedCompany["sql"],
  shapes: RowShapes,
): Promise<readonly CheckedField[]> =>
  (await columnsOfTables(sql, Object.keys(shapes))).flatMap(({ table, column }) => {
    const field = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const schema = shapes[table]![field];
    return schema === undefined || ofService.has(`${table}.${column}`)
      ? []
      : [{ table, column, field, schema }];
  });

/** Refuses each field that the interface would refuse, or would store in another form; names its table and column. */
export const checkFields = async (
  sql: CopiedCompany["sql"],
  companyId: string,
  shapes: RowShapes,
): Promise<void> => {
  const fields = await checkedFields(sql, shapes);
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
