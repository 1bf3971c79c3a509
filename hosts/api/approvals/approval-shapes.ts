import { z } from "zod";
import { approvalTypes } from "../../../core/model/approvals/approval.ts";
import { approvalStatuses } from "../../../core/model/approvals/approval-status.ts";
import { checkNames, proofs } from "../../../core/model/approvals/authority.ts";
import { AgentDetailShape } from "../agents/agent-shapes.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import { free, id, Timestamp, when } from "../endpoint/values.ts";
import { Permission } from "./grant-shapes.ts";

export const ApprovalShape = z.object({
  id,
  companyId: id,
  type: z.enum(approvalTypes),
  status: z
    .enum(approvalStatuses)
    .describe("Only the answer of resubmit shows resubmitted; the approval is then pending."),
  payload: free,
  payloadRevision: z.number().describe("Starts at 1; each resubmit adds 1."),
  proposedVariables: z
    .array(z.string())
    .readonly()
    .describe("For a hire: variables whose values an agent proposes."),
  grantedPaths: z
    .array(z.object({ path: z.string(), access: z.enum(["read", "write"]), real: z.string() }))
    .readonly()
    .describe("For a hire: paths of the machine in it that an instance admin has set, with where they lead."),
  agentId: id.nullable().describe("For a hire: the draft, later the agent hired."),
  requestedByAgentId: id.nullable(),
  requestedByUserId: id.nullable(),
  decisionNote: z.string().nullable(),
  chosenOwner: z.string().nullable(),
  offListReason: z.string().nullable(),
  decidedByAgentId: id.nullable(),
  decidedByUserId: id.nullable(),
  decidedAt: when,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const ApprovalDetailShape = ApprovalShape.extend({
  callerMay: CallerMayShape("approval"),
  history: z
    .array(
      ApprovalShape.pick({
        payload: true,
        payloadRevision: true,
        status: true,
        decisionNote: true,
        decidedByAgentId: true,
        decidedByUserId: true,
        decidedAt: true,
      }),
    )
    .readonly()
    .describe("Each payload with its decision; the current round last."),
});

export const HireShape = z.object({ agent: AgentDetailShape, approval: ApprovalDetailShape });

export const ApprovalCommentShape = z.object({
  id,
  companyId: id,
  approvalId: id,
  body: z.string().describe("Markdown."),
  authorAgentId: id.nullable(),
  authorUserId: id.nullable(),
  createdAt: Timestamp,
});

const Refusal = z.object({
  status: z.number().describe("The HTTP status that a decision would get."),
  error: z.string().describe("The code."),
  reason: z.string(),
});

export const AuthorityShape = z.object({
  policy: z.object({
    protection: z.enum(["standard", "protected"]).describe("protected: only people decide it."),
    accepts: z.array(z.enum(proofs)).readonly(),
    requiredPermission: Permission.nullable(),
    serviceRequiresDeclaredClass: z.boolean(),
  }),
  allowed: z.boolean(),
  acceptedProof: z.enum(proofs).nullable(),
  grant: z
    .object({ id, permission: Permission, classes: z.array(z.string()).readonly(), grantedBy: id })
    .nullable(),
  refusal: Refusal.nullable(),
  checks: z
    .array(
      z.object({
        name: z.enum(checkNames),
        result: z.enum(["passed", "refused", "not_reached", "not_applicable"]),
        detail: z.string().optional(),
      }),
    )
    .readonly()
    .describe("In the order of evaluation."),
  approveRequiresChosenOwner: z.boolean(),
  approveRefusal: Refusal.nullable().describe(
    "Why approving would be refused although you may decide: a hire whose manager, adapter or secret has gone since, or whose name is taken. It can be rejected or sent back.",
  ),
});
