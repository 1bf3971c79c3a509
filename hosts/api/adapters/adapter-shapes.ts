import { z } from "zod";

export const ModelShape = z.object({ id: z.string(), label: z.string() });

export const AdapterShape = z.object({
  type: z
    .string()
    .nullable()
    .describe("null where not even that is known, as of a line of the registry file that makes no sense."),
  label: z.string(),
  source: z.enum(["builtin", "package", "local"]).nullable(),
  version: z.string().nullable(),
  status: z.enum(["loaded", "loading", "failed"]),
  loaded: z.boolean().describe("Whether it can run agents. Runs of agents whose adapter is not loaded wait."),
  error: z
    .string()
    .nullable()
    .describe("Why it is not loaded, or why its newest code is not. In full for instance admins."),
  warnings: z.array(z.string()).readonly().describe("What is missing of one that is loaded."),
  packageName: z.string().nullable().describe("For instance admins; null for a folder."),
  localPath: z.string().nullable().describe("For instance admins; null for a package."),
  modelsCount: z.number(),
  hasUiParser: z.boolean(),
  discoversModels: z.boolean(),
  supportsSkills: z.boolean(),
});

export const AdapterDetailShape = AdapterShape.extend({
  models: z.array(ModelShape).readonly().describe("Those it lists; see models for what it discovers."),
  agentConfigurationDoc: z.string().describe("Markdown: every key of adapterConfig it reads."),
  agentSettableKeys: z.array(z.string()).readonly(),
});

export const EnvironmentReportShape = z.object({
  adapterType: z.string(),
  status: z.enum(["pass", "fail"]).describe("fail when any check has level error."),
  checks: z
    .array(
      z.object({
        level: z.enum(["info", "warn", "error"]),
        code: z.string(),
        message: z.string(),
        hint: z.string().optional(),
      }),
    )
    .readonly(),
  testedAt: z.string(),
});

export const DetectedModelShape = z
  .object({
    model: z.string(),
    provider: z.string(),
    source: z.string().describe("Where it was found."),
    candidates: z.array(z.string()).readonly().describe("All that were found, the one that counts first."),
  })
  .nullable();

export const InstalledShape = z.object({
  id: z.string(),
  packageName: z.string().nullable(),
  localPath: z.string().nullable(),
  type: z.string(),
  version: z.string(),
  installedAt: z.string(),
  integrity: z.string().nullable().describe("Of the archive, as the package registry gave it."),
});
