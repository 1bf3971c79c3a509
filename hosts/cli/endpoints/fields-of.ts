import { z } from "zod";
import { type Endpoint, nothing } from "../../api/endpoint/endpoint.ts";
import { AgentReference, IssueReference } from "../../api/endpoint/values.ts";
import { kebab } from "../kebab.ts";
import type { Field, Kind, Noun } from "./flags.ts";

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly format?: string;
  readonly writeOnly?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** Flags of every command; a field of the same name gets another flag. */
const reservedFlags = new Set([
  "url",
  "token",
  "json",
  "quiet",
  "company",
  "help",
  "version",
  "all",
  "idempotency-key",
]);

/** Gives the flags of an endpoint's query and body. A query's companyId has no flag of its own: -C names it. */
export const fieldsOf = (endpoint: Endpoint): readonly Field[] =>
  [endpoint.query, endpoint.body ?? nothing].flatMap((object) => {
    const given = jsonSchema(object, "input");
    const meant = object === endpoint.query ? jsonSchema(object, "output") : given;
    return Object.entries(given.properties ?? {})
      .filter(([name]) => !(name === "companyId" && object === endpoint.query))
      .map(([name, schema]): Field => {
        const bare = withoutNull(schema);
        const kind = kindOf(
          bare,
          withoutNull(meant.properties?.[name] ?? {}),
          (object as z.ZodObject).shape[name] as z.ZodType,
        );
        const required = given.required?.includes(name) ?? false;
        const nullable = bare !== schema;
        const flag = kebab(name);
        return {
          name,
          flag: reservedFlags.has(flag) ? `set-${flag}` : flag,
          required,
          nullable,
          kind,
          help: helpOf(schema.description ?? bare.description, bare, kind, { required, nullable }),
        };
      });
  });

const jsonSchema = (schema: z.ZodType, io: "input" | "output"): JsonSchema =>
  z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonSchema;

/** Removes null from a schema. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    const types = (schema.type as readonly string[]).filter((type) => type !== "null");
    return { ...schema, type: types.length === 1 ? types[0]! : types };
  }
  const others = schema.anyOf?.filter(({ type }) => type !== "null");
  if (others === undefined || others.length === schema.anyOf?.length) return schema;
  const { anyOf: _, ...rest } = schema;
  return others.length === 1 ? { ...others[0], ...rest } : { ...rest, anyOf: others };
};

const kindOf = (given: JsonSchema, meant: JsonSchema, schema: z.ZodType): Kind => {
  const of = nounOf(schema);
  if (given.writeOnly) return { type: "secret" };
  if (given.type === "array" || meant.type === "array") {
    const items = (meant.type === "array" ? meant : given).items ?? {};
    if (items.type === "object" || items.type === undefined)
      return of === null ? { type: "json" } : { type: "list", values: null, of };
    return { type: "list", values: textsOf(items.enum), of };
  }
  if (given.type === "boolean" || meant.type === "boolean") return { type: "switch" };
  const values = textsOf(given.enum);
  // A query has no booleans; its switches take one of two words.
  if (values?.length === 2 && values[0] === "true" && values[1] === "false") return { type: "switch" };
  if (values !== null) return { type: "choice", values };
  if (of !== null) return { type: "reference", of };
  switch (given.type) {
    case "integer":
    case "number":
      return { type: "number" };
    case "object":
      return { type: "json" };
    case "string":
      if (given.format === "binary") return { type: "file" };
      if (given.format === "path") return { type: "path" };
      return given.format === undefined && given.maxLength === undefined
        ? { type: "text" }
        : { type: "word" };
    default:
      return given.anyOf?.every(({ type, const: only }) => type === "string" || typeof only === "string")
        ? { type: "word" }
        : { type: "json" };
  }
};

const textsOf = (values: readonly unknown[] | undefined): readonly string[] | null =>
  values?.every((value) => typeof value === "string") ? (values as string[]) : null;

/** Finds the noun of an id by the identity of its schema. */
const nounOf = (schema: z.ZodType | undefined): Noun | null => {
  if (schema === AgentReference) return "agent";
  if (schema === IssueReference) return "issue";
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return nounOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return nounOf(schema.element as z.ZodType);
  if (schema instanceof z.ZodUnion)
    return schema.options.map((option) => nounOf(option as z.ZodType)).find((noun) => noun !== null) ?? null;
  return null;
};

const named = { agent: "id or urlKey", issue: "id or ABC-12" } as const;

const helpOf = (
  description: string | undefined,
  { default: defaultValue, format }: JsonSchema,
  kind: Kind,
  { required, nullable }: Pick<Field, "required" | "nullable">,
): string =>
  [
    description?.replace(/\.$/, ""),
    kind.type === "choice" ? kind.values.join(" | ") : null,
    kind.type === "list"
      ? `comma-separated${kind.values === null ? "" : `: ${kind.values.join(" ")}`}`
      : null,
    kind.type === "reference" ? named[kind.of] : null,
    kind.type === "list" && kind.of !== null ? named[kind.of] : null,
    kind.type === "json" ? "JSON, or @file.json" : null,
    kind.type === "file" ? "by its path" : null,
    kind.type === "secret" ? "only @file or - (stdin), never the value itself" : null,
    kind.type === "text" ? "@file and - read a file and stdin" : null,
    format === "date-time" ? "ISO 8601" : null,
    nullable ? "null to clear" : null,
    defaultValue === undefined
      ? null
      : `default ${typeof defaultValue === "object" ? JSON.stringify(defaultValue) : String(defaultValue)}`,
    required ? "required" : null,
  ]
    .filter((part) => part)
    .join("; ");
