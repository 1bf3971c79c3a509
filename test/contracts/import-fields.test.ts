import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  type CheckedField,
  checkedFields,
  checkFields,
} from "../../adapters-infra/company-move/check-fields.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { rowShapes } from "../../hosts/api/companies/imported-company.ts";
import { TemplateInput } from "../../hosts/api/companies/template-shapes.ts";
import { endpoints } from "../../hosts/api/index.ts";
import { type ApiService, startApi } from "../support/api-service.ts";
import { furnish } from "../support/backup-cases.ts";

/** Values of each kind that some field refuses. */
const candidates: readonly unknown[] = [
  "  ",
  "<script>",
  " x",
  "",
  "x".repeat(600_000),
  "../../etc/passwd",
  -1,
  0,
  10_000_000_000_000,
  {},
  { a: { b: 1 } },
  Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`k${n}`, 0])),
  true,
];

const refused = (schema: z.ZodType, value: unknown): boolean => !schema.safeParse(value).success;

describe("A company that is imported", () => {
  let api: ApiService;
  let companyId: string;
  let sql: ReturnType<typeof openDatabase>;
  let fields: readonly CheckedField[];
  beforeAll(async () => {
    api = await startApi();
    sql = openDatabase(api.databaseUrl, { max: 1 });
    ({ companyId } = await furnish(api, 1));
    const [routine] = (await api.get(`/api/companies/${companyId}/routines`)).body;
    await api.make(`/api/routines/${routine.id}/triggers`, {
      ...{ kind: "schedule", cronExpression: "0 8 * * 1", timezone: "UTC" },
    });
    fields = await checkedFields(sql, rowShapes);
  });
  afterAll(async () => {
    await sql?.end();
    await api?.stop();
  });

  it("is taken as the interface has stored it", async () => {
    await sql.begin((tx) => checkFields(tx as never, companyId, rowShapes));
    expect(fields.length).toBeGreaterThan(50);
    expect(new Set(fields.map(({ table }) => table))).toEqual(
      new Set([
        ...[
          "approval_comments",
          "approvals",
          "comments",
          "companies",
          "document_revisions",
          "documents",
          "goals",
        ],
        ...["house_rules", "interactions", "issue_gates", "issues", "labels", "project_gates", "projects"],
        ...["repositories", "routine_triggers", "routines", "run_messages", "secrets", "vaults"],
      ]),
    );
  });

  it("is refused for what the interface refuses, field by field, with the field's name", async () => {
    const [tried, guarded]: [string[], string[]] = [[], []];
    for (const { table, column, schema } of fields) {
      const [row] = await sql<{ at: string }[]>`
        select    ctid::text as at
        from      ${sql(table)}
        where     ${ownRows(table)}
        order by  ${sql(column)} is null
        limit     1
      `;
      expect(row, table).toBeDefined();
      let isTried = false;
      for (const value of candidates.filter((each) => refused(schema, each))) {
        const outcome = await sql
          .begin(async (tx) => {
            await tx`savepoint before`;
            const stored =
              typeof value === "object" ? tx`${JSON.stringify(value)}::text::jsonb` : tx`${value as never}`;
            await tx`update ${tx(table)} set ${tx(column)} = ${stored} where ctid = ${row!.at}::text::tid`.catch(
              async (error) => {
                throw new Guarded(String(error));
              },
            );
            await checkFields(tx as never, companyId, rowShapes).then(
              () => {
                throw new Error(`${table}.${column} takes ${JSON.stringify(value).slice(0, 60)}`);
              },
              (error: Error) => {
                expect(error.message).toContain(`${table}.${column} that no company can have`);
              },
            );
            throw new RolledBack();
          })
          .catch((error: unknown) => error);
        if (outcome instanceof Guarded) continue;
        expect(outcome).toBeInstanceOf(RolledBack);
        isTried = true;
        break;
      }
      if (isTried) tried.push(`${table}.${column}`);
      else if (!(inner(schema) instanceof z.ZodEnum)) guarded.push(`${table}.${column}`);
    }
    // The database itself refuses states that are none, what is no day, and references of secrets that have values here.
    expect(guarded).toEqual(["projects.target_date", "secrets.external_ref"]);
    expect(tried.length).toBeGreaterThan(40);
  });

  const ownRows = (table: string) => sql`${sql(table === "companies" ? "id" : "company_id")} = ${companyId}`;
});

class Guarded extends Error {}
class RolledBack extends Error {}

/** The nouns of a template, with the endpoint that makes one. */
const nouns = {
  labels: "labels.create",
  agents: "agents.create",
  goals: "goals.create",
  projects: "projects.create",
  routines: "routines.create",
} as const;

const bodyOf = (name: string) =>
  (endpoints.find((each) => each.name === name)!.endpoint.body as z.ZodObject).shape as Record<
    string,
    z.ZodType
  >;
const inner = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? inner(schema.unwrap() as z.ZodType)
    : schema;
const itemOf = (list: keyof typeof nouns) =>
  ((inner(TemplateInput.shape[list]) as z.ZodArray).element as z.ZodObject).shape as Record<
    string,
    z.ZodType
  >;

describe("A template refuses what the endpoint refuses", () => {
  const cases = [
    ...(Object.keys(nouns) as (keyof typeof nouns)[]).flatMap((list) =>
      Object.keys(itemOf(list)).map((field) => ({
        list,
        field,
        own: itemOf(list),
        theirs: bodyOf(nouns[list]),
      })),
    ),
    ...Object.keys((inner(TemplateInput.shape.company) as z.ZodObject).shape).map((field) => ({
      ...{ list: "company", field, own: (inner(TemplateInput.shape.company) as z.ZodObject).shape },
      theirs: bodyOf("companies.update"),
    })),
    ...Object.keys(((inner(itemOf("routines").triggers!) as z.ZodArray).element as z.ZodObject).shape).map(
      (field) => ({
        ...{ list: "triggers", field },
        own: ((inner(itemOf("routines").triggers!) as z.ZodArray).element as z.ZodObject).shape,
        theirs: bodyOf("routines.addTrigger"),
      }),
    ),
  ].filter(({ field, theirs }) => theirs[field] !== undefined && field !== "reportsTo");

  it.each(cases)("$list: $field", ({ field, own, theirs }) => {
    const bad = [...candidates, "\u0000", "\ud800", "x".repeat(501), "archived!", randomUUID()].filter(
      (value) => refused(theirs[field]!, value),
    );
    expect(bad.length).toBeGreaterThan(0);
    expect(bad.filter((value) => !refused(own[field] as z.ZodType, value))).toEqual([]);
  });
});
