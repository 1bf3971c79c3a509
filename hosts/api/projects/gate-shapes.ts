import { z } from "zod";
import { gateKinds } from "../../../core/projects/gate.ts";
import { id } from "../endpoint/values.ts";

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
