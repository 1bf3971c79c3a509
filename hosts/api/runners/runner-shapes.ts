import { z } from "zod";
import { runnerKinds } from "../../../ports/runners.ts";
import { EnvironmentCheckShape } from "../adapters/adapter-shapes.ts";

export const RunnerShape = z.object({
  name: z.string(),
  kind: z.enum(runnerKinds).nullable(),
  usual: z.boolean().describe("Whether agents that, with their company, name no runner use this one."),
  reach: z.string().nullable().describe("Where its programs run; null: it cannot be used."),
  recoveryBoundSec: z
    .number()
    .nullable()
    .describe("The run of a service that died has ended there within this time, while another service runs."),
  problem: z.string().nullable().describe("Why it cannot be used."),
});

export const RunnerReportShape = z.object({
  name: z.string(),
  status: z.enum(["pass", "fail"]).describe("fail when any check has level error."),
  checks: z.array(EnvironmentCheckShape).readonly(),
});
