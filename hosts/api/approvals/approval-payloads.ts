import * as Effect from "effect/Effect";
import { z } from "zod";
import type { ApprovalType } from "../../../core/model/approvals/approval.ts";
import type { Proposal } from "../../../core/staff/approvals/request-approval.ts";
import { AdapterConfigInput, RuntimeConfigInput } from "../agents/agent-shapes.ts";
import { missingFields, type ValidationFailed, validationFailed } from "../endpoint/dispatch.ts";
import { AgentReference, Cents, FreeObject, Name, NonBlank, ShortText, Text } from "../endpoint/values.ts";

/** The fields of the agent that a hire proposes. */
export const hireFields = {
  name: Name,
  role: Name.optional().describe("engineer, manager, ceo, researcher, … Default general."),
  title: Name.nullable().optional(),
  reportsTo: AgentReference.nullable().optional(),
  capabilities: Text.nullable().optional(),
  adapterType: ShortText.default("process").describe("process, adapter_a_local, …"),
  adapterConfig: AdapterConfigInput.optional(),
  runtimeConfig: RuntimeConfigInput.optional(),
  budgetMonthlyCents: Cents.optional().describe("0: no limit."),
  metadata: FreeObject.nullable().optional(),
};

const strategyPayload = z.looseObject({});
const hirePayload = z.strictObject(hireFields);
const ownershipPayload = z.looseObject({
  subject: NonBlank,
  candidateOwners: z.array(Name).max(100).optional(),
  class: Name.optional(),
});

export const payloads: Readonly<Record<ApprovalType, z.ZodObject>> = {
  approve_ceo_strategy: strategyPayload,
  hire_agent: hirePayload,
  ownership_decision: ownershipPayload,
};

/** Parses the payload by the approval's type. */
export const proposalOf = (
  type: ApprovalType,
  payload: unknown,
): Effect.Effect<Proposal, ValidationFailed> => {
  switch (type) {
    case "approve_ceo_strategy":
      return Effect.map(payloadOf(strategyPayload, payload), (given) => ({ type, payload: given }));
    case "hire_agent":
      return Effect.map(payloadOf(hirePayload, payload), (given) => ({ type, payload: given }));
    case "ownership_decision":
      return Effect.map(payloadOf(ownershipPayload, payload), (given) => ({ type, payload: given }));
  }
};

const payloadOf = <Shape extends z.ZodType>(
  shape: Shape,
  payload: unknown,
): Effect.Effect<z.output<Shape>, ValidationFailed> => {
  const parsed = shape.safeParse(payload, missingFields);
  return parsed.success
    ? Effect.succeed(parsed.data)
    : Effect.fail(validationFailed(parsed.error, ["payload"]));
};

export const Payload = FreeObject.describe(
  "hire_agent: the fields of an agent. ownership_decision: subject, candidateOwners, class. approve_ceo_strategy: anything.",
);
