import { z } from "zod";
import { type ConfigSchema, schemaTypes } from "../../core/model/adapters/config-schema.ts";
import { clause } from "../../core/model/shared/sentence.ts";
import type { LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { AgentAdapter } from "../../ports/agent-adapter.ts";
import { oneLine, severalLines } from "./plain-text.ts";
import { PluginRefusal } from "./plugin-manifest.ts";

/** The contents of a package, known once its code runs. */
export type OpenedPlugin = Omit<LoadedAdapter, "source" | "version" | "uiParser" | "uiParserProblem">;
type Description = Omit<OpenedPlugin, "open">;

export const typePattern = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const maxModels = 5_000;
const maxDocLength = 512 * 1024;

const adapterType = z.string().regex(typePattern, "must be snake_case").max(100);
const text = (max: number) =>
  z
    .string()
    .max(max * 4)
    .transform((text) => oneLine(text, max));
const models = z
  .array(z.object({ id: text(300).pipe(z.string().min(1)), label: text(300) }))
  .max(maxModels, `must be at most ${maxModels}`);
const doc = z
  .string()
  .max(maxDocLength, `must be at most ${maxDocLength} characters`)
  .transform((text) => severalLines(text, maxDocLength));
const method = z.custom<() => unknown>((value) => typeof value === "function", "must be a function");
const settableKeys = z.array(z.string().min(1).max(200)).max(200);

const maxSchemaLength = 64 * 1024;
const note = z.string().max(2_000);
/** Keeps the keywords that the service knows. */
const schemaPart: z.ZodType<ConfigSchema> = z.lazy(() =>
  z.object({
    type: z.union([z.enum(schemaTypes), z.array(z.enum(schemaTypes)).readonly()]).optional(),
    title: note.optional(),
    description: note.optional(),
    default: z.json().optional(),
    contentMediaType: z.string().max(100).optional(),
    deprecated: z.boolean().optional(),
    enum: z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .readonly()
      .optional(),
    minimum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    maximum: z.number().optional(),
    maxLength: z.number().optional(),
    pattern: z.string().optional(),
    items: schemaPart.optional(),
    properties: z.record(z.string(), schemaPart).optional(),
    required: z.array(z.string()).readonly().optional(),
    additionalProperties: z.union([z.boolean(), schemaPart]).optional(),
  }),
);
/** Its length is checked first, which bounds its depth too. */
const configSchema = z
  .unknown()
  .refine(
    (schema) => (JSON.stringify(schema) ?? "").length <= maxSchemaLength,
    `must be at most ${maxSchemaLength} characters of JSON`,
  )
  .pipe(schemaPart);

const RootExports = z.object({
  type: adapterType,
  label: text(200).pipe(z.string().min(1)),
  models,
  agentConfigurationDoc: doc,
  createServerAdapter: method,
});

const ServerAdapter = z.object({
  type: adapterType,
  models,
  agentConfigurationDoc: doc,
  agentSettableKeys: settableKeys.optional(),
  keepsFiles: z.boolean().optional(),
  configSchema: configSchema.optional(),
  execute: method,
  testEnvironment: method,
  listModels: method.optional(),
  listSkills: method.optional(),
  syncSkills: method.optional(),
  detectModel: method.optional(),
  sessionCodec: z.object({ deserialize: method, serialize: method, getDisplayId: method }).optional(),
});

export const checkedRoot = (root: unknown) => {
  const checked = RootExports.safeParse(root);
  if (!checked.success)
    throw new PluginRefusal(`Its exports are incomplete: ${clause(describeIssues(checked.error))}.`);
  return checked.data;
};

/** Takes only checked members of a package. Calls methods on `created` itself. */
export const checkedAdapter = (
  root: unknown,
  created: unknown,
): { readonly description: Description; readonly adapter: AgentAdapter } => {
  const { type, label, models } = checkedRoot(root);
  const checked = ServerAdapter.safeParse(created);
  if (!checked.success)
    throw new PluginRefusal(
      `createServerAdapter returned no adapter: ${clause(describeIssues(checked.error))}.`,
    );
  const {
    agentConfigurationDoc,
    agentSettableKeys = [],
    configSchema = null,
    keepsFiles = true,
  } = checked.data;
  if (checked.data.type !== type)
    throw new PluginRefusal(`Its root exports have type "${type}", its adapter "${checked.data.type}".`);
  const supports = new Set(optionalMethods.filter((name) => checked.data[name] !== undefined));
  return {
    description: {
      type,
      label,
      models,
      agentConfigurationDoc,
      agentSettableKeys,
      configSchema,
      keepsFiles,
      supports,
    },
    adapter: withMethodsOf(created as AgentAdapter, checked.data),
  };
};

const optionalMethods = ["listModels", "listSkills", "syncSkills", "detectModel"] as const;

const withMethodsOf = (created: AgentAdapter, checked: z.infer<typeof ServerAdapter>): AgentAdapter => {
  const { type, models, agentConfigurationDoc, agentSettableKeys } = checked;
  return {
    type,
    models,
    agentConfigurationDoc,
    ...(agentSettableKeys === undefined ? {} : { agentSettableKeys }),
    execute: (context) => created.execute(context),
    testEnvironment: (context) => created.testEnvironment(context),
    ...(checked.listModels && { listModels: (context) => created.listModels!(context) }),
    ...(checked.listSkills && { listSkills: (context) => created.listSkills!(context) }),
    ...(checked.syncSkills && { syncSkills: (context, desired) => created.syncSkills!(context, desired) }),
    ...(checked.detectModel && { detectModel: (context) => created.detectModel!(context) }),
    ...(created.sessionCodec && { sessionCodec: created.sessionCodec }),
  };
};

const maxIssues = 5;

const describeIssues = (error: z.ZodError): string => {
  const problems = error.issues
    .slice(0, maxIssues)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  const more = error.issues.length - problems.length;
  return oneLine([...problems, ...(more > 0 ? [`and ${more} more`] : [])].join("; "), 800);
};
