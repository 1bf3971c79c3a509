export const schemaTypes = ["string", "number", "integer", "boolean", "array", "object"] as const;
export type SchemaType = (typeof schemaTypes)[number];

/**
 * JSON Schema (draft 2020-12) of an adapter's configuration: the keywords that the service checks, and those that a form
 * shows.
 */
export interface ConfigSchema {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  /** `text/markdown`: a form offers room for a long text, and shows it laid out. */
  readonly contentMediaType?: string;
  /** An older name: a form offers it only where it is set. */
  readonly deprecated?: boolean;
  readonly enum?: readonly (string | number | boolean)[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  /** Checked only in the schemas of built-in adapters: an expression of another adapter could block the service for good. */
  readonly pattern?: string;
  readonly items?: ConfigSchema;
  readonly properties?: { readonly [key: string]: ConfigSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ConfigSchema;
}

/** A refusal by a schema: where, and why. */
export interface ConfigProblem {
  /** From the root of the configuration. */
  readonly path: readonly (string | number)[];
  /** Follows the name of the key in a sentence. */
  readonly rule: string;
}

/**
 * Returns what an adapter's schema refuses in a configuration. A key with null or "" counts as not set, and missing keys are
 * allowed: an agent may be configured step by step.
 */
export const configProblems = (
  schema: ConfigSchema,
  config: Readonly<Record<string, unknown>>,
): readonly ConfigProblem[] =>
  Object.entries(config).flatMap(([key, value]) => {
    const own = ofKey(schema.properties, key);
    return own === undefined || value === null || value === "" ? [] : problemsOf(own, value, [key]);
  });

const ofKey = (properties: ConfigSchema["properties"], key: string): ConfigSchema | undefined =>
  properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;

const problemsOf = (
  schema: ConfigSchema,
  value: unknown,
  path: ConfigProblem["path"],
): readonly ConfigProblem[] => {
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOf(type, value)))
    return [{ path, rule: `must be ${types.map((type) => named[type]).join(" or ")}` }];
  const rule = ruleBroken(schema, value);
  if (rule !== null) return [{ path, rule }];
  if (Array.isArray(value))
    return schema.items === undefined
      ? []
      : value.flatMap((item, at) => problemsOf(schema.items ?? {}, item, [...path, at]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    const inner = ofKey(schema.properties, key) ?? schema.additionalProperties;
    if (inner === false) return [{ path: [...path, key], rule: "is not known" }];
    return inner === undefined || inner === true ? [] : problemsOf(inner, part, [...path, key]);
  });
};

const named: Readonly<Record<SchemaType, string>> = {
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const isOf = (type: SchemaType, value: unknown): boolean => {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "integer":
      return Number.isSafeInteger(value);
    default:
      return typeof value === type;
  }
};

const ruleBroken = (schema: ConfigSchema, value: unknown): string | null => {
  if (schema.enum !== undefined && !schema.enum.some((allowed) => allowed === value))
    return `must be one of ${schema.enum.join(", ")}`;
  if (typeof value === "number") {
    const { minimum, exclusiveMinimum, maximum } = schema;
    if (minimum !== undefined && !(value >= minimum)) return `must be at least ${minimum}`;
    if (exclusiveMinimum !== undefined && !(value > exclusiveMinimum))
      return `must be more than ${exclusiveMinimum}`;
    if (maximum !== undefined && !(value <= maximum)) return `must be at most ${maximum}`;
  }
  if (typeof value === "string") {
    const { maxLength, pattern } = schema;
    if (maxLength !== undefined && value.length > maxLength)
      return `must have at most ${maxLength} characters`;
    if (pattern !== undefined && !new RegExp(pattern, "u").test(value))
      return `is not valid: ${schema.description ?? pattern}`;
  }
  return null;
};
