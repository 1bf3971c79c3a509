import * as Effect from "effect/Effect";
import { z } from "zod";
import type { ApprovalType } from "../../../core/approvals/approval.ts";
import { AdapterConfigInput, RuntimeConfigInput } from "../agents/agent-shapes.ts";
import { missingFields, type ValidationFailed, validationFailed } from "../endpoint/dispatch.ts";
import { AgentReference, Cents, FreeObject, Name, Text, Word } from "../endpoint/values.ts";

/** What a hire proposes: the fields of an agent. */
export const hireFields = {
  name: Name,
  role: Name.optional().describe("engineer, manager, ceo, researcher, … Default general."),
  title: Name.nullable().optional(),
  reportsTo: AgentReference.nullable().optional(),
  capabilities: Text.nullable().optional(),
  adapterType: Word.default("process").describe("process, adapter_a_local, …"),
  adapterConfig: AdapterConfigInput.optional(),
  runtimeConfig: RuntimeConfigInput.optional(),
  budgetMonthlyCents: Cents.optional().describe("0: no limit."),
  metadata: FreeObject.nullable().optional(),
};

const payloads: Readonly<Record<ApprovalType, z.ZodObject>> = {
  approve_ceo_strategy: z.looseObject({}),
  hire_agent: z.strictObject(hireFields),
  ownership_decision: z.looseObject({
    subject: Text.refine((text) => text.trim() !== "", "must not be blank"),
    candidateOwners: z.array(Name).max(100).optional(),
    class: Name.optional(),
  }),
};

export const payloadOf = (
  type: ApprovalType,
  payload: Readonly<Record<string, unknown>>,
): Effect.Effect<Readonly<Record<string, unknown>>, ValidationFailed> => {
  const parsed = payloads[type].safeParse(payload, missingFields);
  return parsed.success
    ? Effect.succeed(parsed.data)
    : Effect.fail(validationFailed(parsed.error, ["payload"]));
};

export const Payload = FreeObject.describe(
  "hire_agent: the fields of an agent. ownership_decision: subject, candidateOwners, class. approve_ceo_strategy: anything.",
);
