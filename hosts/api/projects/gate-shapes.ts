import { z } from "zod";
import { gateKinds } from "../../../core/model/projects/gate.ts";
import { AgentReference, id, Name, UserReference, upTo } from "../endpoint/values.ts";

const GateShape = z.object({
  name: z.string(),
  kind: z.enum(gateKinds),
  reviewerAgentId: id.nullable().describe("Of a review by an agent."),
  reviewerUserId: id.nullable().describe("Of a review by a person."),
  command: z.string().nullable().describe("Of a gate of the kind command, and so the next two."),
  timeoutSec: z.number().nullable(),
  maxWakes: z.number().nullable(),
});

export const NamedGateShape = GateShape.extend({
  reviewerName: z.string().nullable().describe("Of the agent or the person."),
});

/** Gates as a call sets them. */
export const AskedGates = z
  .array(
    z.strictObject({
      name: Name,
      kind: z.enum(gateKinds),
      reviewerAgentId: AgentReference.nullable().optional().describe("Of a review, or reviewerUserId."),
      reviewerUserId: UserReference.nullable().optional().describe("Of a review, or reviewerAgentId."),
      command: upTo(10_000)
        .min(1)
        .nullable()
        .optional()
        .describe("Of a command: for /bin/sh, in the agents' sandbox, in a workspace at the commits."),
      timeoutSec: z.number().int().min(1).max(3_600).nullable().optional().describe("Default 600."),
      maxWakes: z
        .number()
        .int()
        .min(0)
        .max(100)
        .nullable()
        .optional()
        .describe("How often failures wake the agent before they wait for a person. Default 3."),
    }),
  )
  .max(20);
