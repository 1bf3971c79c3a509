import { openAsBlob } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { z } from "zod";
import { type Endpoint, nothing } from "../../api/endpoint/endpoint.ts";
import { AgentReference, IssueReference } from "../../api/endpoint/values.ts";
import { UsageError } from "../failure.ts";
import { kebab } from "../kebab.ts";

/** A field of a query or a body, as a flag. */
export interface Field {
  readonly name: string;
  /** Without the dashes. */
  readonly flag: string;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly kind: Kind;
  /** The help text: meaning and accepted values. */
  readonly help: string;
}

export type Kind =
  /** A text that may come from a file. */
  | { readonly type: "text" }
  /** A secret is not an argument, because every program on the machine can read arguments. */
  | { readonly type: "secret" }
  | { readonly type: "word" }
  | { readonly type: "number" }
  | { readonly type: "switch" }
  | { readonly type: "choice"; readonly values: readonly string[] }
  | { readonly type: "list"; readonly values: readonly string[] | null; readonly of: Noun | null }
  /** The id of a thing that also has a short name. */
  | { readonly type: "reference"; readonly of: Noun }
  | { readonly type: "json" }
  /** A path on this machine. */
  | { readonly type: "path" }
  /** The content of a file, given by its path. */
  | { readonly type: "file" };

export type Noun = "agent" | "issue";

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
const taken = new Set([
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
          flag: taken.has(flag) ? `set-${flag}` : flag,
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
  { default: usual, format }: JsonSchema,
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
    usual === undefined
      ? null
      : `default ${typeof usual === "object" ? JSON.stringify(usual) : String(usual)}`,
    required ? "required" : null,
  ]
    .filter((part) => part)
    .join("; ");

const placeholders: Record<Exclude<Kind["type"], "switch" | "reference">, string> = {
  text: "text",
  secret: "@file|-",
  word: "value",
  number: "n",
  choice: "value",
  list: "list",
  json: "json",
  path: "path",
  file: "path",
};

/** Writes a flag as commander and its help do: `--expected-statuses <list>`. */
export const termOf = ({ flag, kind }: Field): string =>
  kind.type === "switch"
    ? `--${flag}`
    : `--${flag} <${kind.type === "reference" ? kind.of : placeholders[kind.type]}>`;

/** Reads the values of a flag, in the order of their repetition. @throws UsageError */
export const readField = async (
  field: Field,
  typed: string | boolean | readonly string[],
  stdin: () => Promise<string>,
): Promise<unknown> => {
  const { kind, flag } = field;
  if (typeof typed === "boolean") return typed;
  const all = typeof typed === "string" ? [typed] : typed;
  const last = all.at(-1) ?? "";
  if (field.nullable && last === "null") return null;
  switch (kind.type) {
    case "list": {
      const items = all
        .flatMap((part) => part.split(","))
        .map((part) => part.trim())
        .filter((part) => part !== "");
      for (const item of items) if (kind.values !== null) oneOf(flag, item, kind.values);
      return items;
    }
    case "choice":
      return oneOf(flag, last, kind.values);
    case "number": {
      const number = Number(last);
      if (last.trim() === "" || !Number.isFinite(number))
        throw new UsageError(`--${flag} takes a number, not "${last}".`);
      return number;
    }
    case "json":
      return parseJson(flag, await content(flag, last, stdin));
    case "secret": {
      if (last !== "-" && !/^@[^@]/.test(last))
        throw new UsageError(
          `--${flag} takes - (standard input) or @file: every program on the machine can read arguments.`,
        );
      // The final line break of a shell or an editor is not part of the secret.
      return (await content(flag, last, stdin)).replace(/\r?\n$/, "");
    }
    case "text":
      return content(flag, last, stdin);
    case "path":
      return resolve(last);
    case "file":
      return openFile(flag, last);
    default:
      return last;
  }
};

const oneOf = (flag: string, value: string, values: readonly string[]): string => {
  if (values.includes(value)) return value;
  throw new UsageError(`--${flag} takes ${values.join(", ")}; "${value}" is none of them.`);
};

/**
 * Reads a text: literal, from a file (`@notes.md`) or from standard input (`-`). Comments often begin with a mention,
 * so `@name and more words` is literal; a single word that begins with @ is written `@@name`.
 */
const content = async (flag: string, typed: string, stdin: () => Promise<string>): Promise<string> => {
  if (typed === "-") return stdin();
  if (typed.startsWith("@@")) return typed.slice(1);
  if (!typed.startsWith("@") || /\s/.test(typed) || typed === "@") return typed;
  const path = typed.slice(1);
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "is not there" : "cannot be read";
    throw new UsageError(
      `--${flag}: the file ${path} ${reason}. A text that begins with @ is written @${typed}.`,
    );
  }
};

/** Opens a file that is read while it is sent. */
const openFile = async (flag: string, path: string): Promise<File> => {
  try {
    if (!(await stat(path)).isFile()) throw new Error("no file");
    const type = contentTypes[extname(path).toLowerCase()] ?? "application/octet-stream";
    return new File([await openAsBlob(path)], basename(path), { type });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === "ENOENT" ? "is not there" : "cannot be read";
    throw new UsageError(`--${flag}: the file ${path} ${reason}.`);
  }
};

const contentTypes: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".pdf": "application/pdf",
  ".txt": "text/plain",
  ".log": "text/plain",
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".html": "text/html",
  ".json": "application/json",
  ".zip": "application/zip",
};

const parseJson = (flag: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--${flag} takes JSON such as '{"key":"value"}', or @file.json with JSON in it.`);
  }
};
