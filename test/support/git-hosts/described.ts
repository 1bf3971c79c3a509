import { readFileSync } from "node:fs";
import { z } from "zod";

type Schema = Readonly<Record<string, unknown>> & {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
};

interface Operation {
  readonly parameters?: readonly { readonly $ref?: string; readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly $ref?: string; readonly content?: Readonly<Record<string, { schema: Schema }>> }
    >
  >;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The published description of a host's interface, cut to some operations (see README). */
export const described = (file: "github" | "gitea") => {
  const { paths, components } = JSON.parse(
    readFileSync(new URL(`./${file}.json`, import.meta.url), "utf8"),
  ) as Description;
  const resolve = <A>(part: A & { readonly $ref?: string }): A => {
    if (part.$ref === undefined) return part;
    const [, , kind = "", name = ""] = part.$ref.split("/");
    return components[kind]?.[name] as A;
  };
  const definitions = JSON.parse(
    JSON.stringify(components.schemas).replaceAll("#/components/schemas/", "#/definitions/"),
  );
  const checks = new Map<string, z.ZodType>();
  const check = (schema: Schema): z.ZodType => {
    const text = JSON.stringify(schema).replaceAll("#/components/schemas/", "#/definitions/");
    let made = checks.get(text);
    if (made === undefined) {
      made = z.fromJSONSchema({ ...JSON.parse(text), definitions }, { defaultTarget: "openapi-3.0" });
      checks.set(text, made);
    }
    return made;
  };

  /** The least value that the schema takes, with what is given. */
  const make = (schema: Schema, given?: unknown): unknown => {
    const { allOf, anyOf, oneOf, properties = {}, required = [], items, type, format, nullable } = schema;
    if (schema.$ref !== undefined) return make(resolve(schema), given);
    if (given === null) return null;
    if (allOf !== undefined)
      return Object.assign({}, ...allOf.map((part) => make(part, given) as object), given ?? {});
    const options = anyOf ?? oneOf;
    if (options !== undefined && given === undefined && type === undefined) return make(options[0]!, given);
    if (Array.isArray(given)) return given.map((each) => make(items ?? {}, each));
    if (given !== undefined && typeof given !== "object") return given;
    if (given === undefined && nullable === true) return null;
    if (type === "object" || schema.properties !== undefined) {
      const names = new Set([...required, ...Object.keys(given ?? {})]);
      return Object.fromEntries(
        [...names].map((name) => [
          name,
          make(properties[name] ?? {}, (given as Record<string, unknown> | undefined)?.[name]),
        ]),
      );
    }
    if (given !== undefined) return given;
    if (schema.enum !== undefined) return schema.enum[0];
    if (type === "array") return [];
    if (type === "integer" || type === "number") return 1;
    if (type === "boolean") return false;
    if (format === "date-time") return "2026-01-01T00:00:00Z";
    return format === "uri" ? "https://host.example/" : "x";
  };

  const jsonOf = (content: Readonly<Record<string, { schema: Schema }>> | undefined): Schema | undefined =>
    content?.["application/json"]?.schema ?? Object.values(content ?? {})[0]?.schema;

  return {
    /** The operation of a request, if it is described; throws for one that is not, or that the description refuses. */
    operation: (method: string, path: string, query: URLSearchParams, body: unknown) => {
      for (const [template, operations] of Object.entries(paths)) {
        const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
        const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, "([^/]+)")}$`);
        const found = pattern.exec(path);
        const operation = operations[method.toLowerCase()];
        if (found === null || operation === undefined) continue;
        const known = new Set((operation.parameters ?? []).map((each) => resolve(each).name));
        for (const name of query.keys())
          if (!known.has(name)) throw new Error(`${method} ${template} takes no ${name}`);
        const asked = jsonOf(operation.requestBody?.content);
        if (asked !== undefined) check(asked).parse(body);
        const values = found.slice(1).map(decodeURIComponent);
        return {
          template,
          params: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""])),
          /** Completes an answer, and checks it. */
          answer: (status: number, given: unknown): unknown => {
            const schema = jsonOf(resolve(operation.responses[String(status)] ?? {}).content);
            if (schema === undefined) throw new Error(`${method} ${template} does not answer with ${status}`);
            const made = make(schema, given);
            check(schema).parse(made);
            return made;
          },
        };
      }
      throw new Error(`not described: ${method} ${path}`);
    },
  };
};

export type Described = ReturnType<typeof described>;
