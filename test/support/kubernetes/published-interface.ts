import { readFileSync } from "node:fs";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "body";
  readonly type?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

type Operation = { readonly parameters?: readonly Parameter[] };
type PathItem = Readonly<Record<string, Operation>> & { readonly parameters?: readonly Parameter[] };

/** The OpenAPI of a real API server; the file says which. */
const published = JSON.parse(readFileSync(new URL("./openapi.json", import.meta.url), "utf8")) as {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly definitions: Readonly<Record<string, Schema>>;
};

const patterns = Object.entries(published.paths).map(([path, item]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[a-z0-9.-]{1,253}")}$`),
  item,
}));

/**
 * Left out of every published OpenAPI, because its generator skips times: it is a
 * field of PodLogOptions, and `kubectl logs --since-time` sends it.
 */
const unpublished: Parameter = { name: "sinceTime", in: "query", type: "string" };

/** Returns how a request differs from the published interface; empty where it does not. */
export const complaintsAbout = (method: string, url: URL, body: unknown): readonly string[] => {
  const item = patterns.find(({ pattern }) => pattern.test(url.pathname))?.item;
  const operation = item?.[method.toLowerCase()];
  const request = `${method} ${url.pathname}`;
  if (operation === undefined) return [`${request}: there is no such request`];
  const isLog = url.pathname.endsWith("/log");
  const parameters = [
    ...(item?.parameters ?? []),
    ...(operation.parameters ?? []),
    ...(isLog ? [unpublished] : []),
  ];
  const complaints: string[] = [];
  for (const [name, value] of url.searchParams) {
    const known = parameters.find((each) => each.in === "query" && each.name === name);
    if (known === undefined) complaints.push(`${request}: there is no parameter ${name}`);
    else if (known.type === "boolean" && !["true", "false"].includes(value))
      complaints.push(`${request}: ${name} is no boolean`);
    else if (known.type === "integer" && !/^-?\d+$/.test(value))
      complaints.push(`${request}: ${name} is no integer`);
  }
  const expected = parameters.find((each) => each.in === "body");
  if (body === undefined) {
    if (expected?.required === true) complaints.push(`${request}: its body is missing`);
  } else if (expected?.schema === undefined) complaints.push(`${request}: it takes no body`);
  else complaints.push(...faults(expected.schema, body, request));
  return complaints;
};

/** Returns how an object differs from its published definition. */
export const complaintsAboutObject = (kind: string, value: unknown): readonly string[] =>
  faults({ $ref: `#/definitions/io.k8s.api.core.v1.${kind}` }, value, kind);

const faults = (schema: Schema, value: unknown, at: string): readonly string[] => {
  if (schema.$ref !== undefined) {
    const named = published.definitions[schema.$ref.replace("#/definitions/", "")];
    return named === undefined ? [`${at}: ${schema.$ref} is not published`] : faults(named, value, at);
  }
  switch (schema.type) {
    case "string":
      return stringFaults(schema, value, at);
    case "integer":
      return Number.isInteger(value) ? [] : [`${at}: ${JSON.stringify(value)} is no integer`];
    case "number":
      return typeof value === "number" ? [] : [`${at}: ${JSON.stringify(value)} is no number`];
    case "boolean":
      return typeof value === "boolean" ? [] : [`${at}: ${JSON.stringify(value)} is no boolean`];
    case "array":
      return Array.isArray(value)
        ? value.flatMap((each, index) => faults(schema.items ?? {}, each, `${at}[${index}]`))
        : [`${at}: it is no list`];
    default:
      return objectFaults(schema, value, at);
  }
};

const stringFaults = ({ format }: Schema, value: unknown, at: string): readonly string[] => {
  if (format === "int-or-string" && Number.isInteger(value)) return [];
  if (typeof value !== "string") return [`${at}: ${JSON.stringify(value)} is no text`];
  if (format === "byte" && Buffer.from(value, "base64").toString("base64") !== value)
    return [`${at}: it is no base64`];
  if (format === "date-time" && Number.isNaN(Date.parse(value))) return [`${at}: ${value} is no time`];
  return [];
};

const objectFaults = (schema: Schema, value: unknown, at: string): readonly string[] => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at}: it is no object`];
  const { properties, additionalProperties, required = [] } = schema;
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${at}: ${name} is missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const known = properties?.[name] ?? additionalProperties;
      if (known !== undefined) return faults(known, each, `${at}.${name}`);
      return properties === undefined ? [] : [`${at}: there is no field ${name}`];
    }),
  ];
};
