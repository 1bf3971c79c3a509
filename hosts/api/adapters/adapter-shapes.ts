import { z } from "zod";

export const ModelShape = z.object({ id: z.string(), label: z.string() });

export const AdapterShape = z.object({
  type: z.string().nullable().describe("null if unknown, as for an invalid line of the registry file."),
  label: z.string(),
  source: z.enum(["builtin", "package", "local"]).nullable(),
  version: z.string().nullable(),
  status: z.enum(["loaded", "loading", "failed"]),
  loaded: z.boolean().describe("Whether it can run agents. Otherwise the runs of its agents wait."),
  error: z
    .string()
    .nullable()
    .describe("Why it, or its newest code, is not loaded. In full for instance admins."),
  warnings: z.array(z.string()).readonly().describe("What a loaded adapter lacks."),
  packageName: z.string().nullable().describe("For instance admins; null for a folder."),
  localPath: z.string().nullable().describe("For instance admins; null for a package."),
  modelsCount: z.number(),
  hasUiParser: z.boolean(),
  discoversModels: z.boolean(),
  supportsSkills: z.boolean(),
});

export const AdapterDetailShape = AdapterShape.extend({
  models: z.array(ModelShape).readonly().describe("Models it lists; `models` adds those it discovers."),
  agentConfigurationDoc: z.string().describe("Markdown: every key of adapterConfig it reads."),
  configSchema: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      "JSON Schema of an agent's adapterConfig, without the keys of the service such as env. What it excludes is refused when it is set. null: the adapter does not say.",
    ),
  agentSettableKeys: z.array(z.string()).readonly(),
});

export const EnvironmentCheckShape = z.object({
  level: z.enum(["info", "warn", "error"]),
  passed: z
    .literal(true)
    .optional()
    .describe("With info: it was tried and works. Without it, an info only tells something."),
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});

export const EnvironmentReportShape = z.object({
  adapterType: z.string(),
  status: z.enum(["pass", "fail"]).describe("fail when any check has level error."),
  checks: z.array(EnvironmentCheckShape).readonly(),
  testedAt: z.string(),
});

export const DetectedModelShape = z
  .object({
    model: z.string(),
    provider: z.string(),
    source: z.string().describe("Where it was found."),
    candidates: z.array(z.string()).readonly().describe("All models found, the effective one first."),
  })
  .nullable();

export const InstalledShape = z.object({
  id: z.string(),
  packageName: z.string().nullable(),
  localPath: z.string().nullable(),
  type: z.string(),
  version: z.string(),
  installedAt: z.string(),
  integrity: z.string().nullable().describe("Integrity hash of the archive, from the package registry."),
});
