import * as Effect from "effect/Effect";
import { z } from "zod";
import { Unauthenticated } from "../../../core/model/access/caller.ts";
import {
  AdapterConfigInvalid,
  AdapterUnknown,
  NotADraft,
  UrlKeyTaken,
} from "../../../core/model/agents/agent.ts";
import { MaskWithoutValue } from "../../../core/model/agents/agent-config.ts";
import { LoaderVariables } from "../../../core/model/agents/loader-variables.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { PathNotAllowed } from "../../../core/model/agents/named-paths.ts";
import {
  ApprovalChanged,
  ApprovalNotFound,
  ApprovalNotPending,
  approvalTypes,
  NoRevisionRequested,
} from "../../../core/model/approvals/approval.ts";
import { approvalStatuses, type Decision } from "../../../core/model/approvals/approval-status.ts";
import {
  ChosenOwnerNotAsked,
  ChosenOwnerRequired,
  ClassNotDeclared,
  ClassNotGranted,
  OffListReasonRequired,
  OwnRequest,
  PermissionMissing,
  ProofNotAccepted,
} from "../../../core/model/approvals/authority.ts";
import { SecretVersionMissing } from "../../../core/model/secrets/binding.ts";
import { SecretDisabled } from "../../../core/model/secrets/secret.ts";
import { TooManyRecords } from "../../../core/model/shared/bounds.ts";
import {
  NotAllowed,
  ReferenceNotFound,
  type Refusal,
  WouldFormACycle,
} from "../../../core/model/shared/failure.ts";
import type { ApprovalId } from "../../../core/model/shared/ids.ts";
import { RunnerRefused } from "../../../core/staff/agents/choose-runner.ts";
import { acting, inCompany, inCompanyOf } from "../endpoint/access.ts";
import { ValidationFailed } from "../endpoint/dispatch.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { statusOf } from "../endpoint/statuses.ts";
import { AgentReference, IssueReference, listOf, Name, NonBlank, Text } from "../endpoint/values.ts";
import { hireFields, Payload, payloads, proposalOf } from "./approval-payloads.ts";
import { approvalRelations } from "./approval-relations.ts";
import { ApprovalDetailShape, ApprovalShape, AuthorityShape, HireShape } from "./approval-shapes.ts";

const Issues = z.array(IssueReference).max(100);
const Note = Text.nullable().optional().describe("Shown to the agent or user that requested it.");
const PayloadRevision = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)
  .optional()
  .describe("The payloadRevision that you read; refused if the payload was resubmitted since.");

const shownRefusal = (refusal: Pick<Refusal, "kind" | "code" | "message"> | null) =>
  refusal === null ? null : { status: statusOf[refusal.kind], error: refusal.code, reason: refusal.message };

/** The refusals of a hire, at its request and again at its approval. */
const hireFailures = [
  AdapterConfigInvalid,
  AdapterUnknown,
  AgentNotAssignable,
  PathNotAllowed,
  MaskWithoutValue,
  ReferenceNotFound,
  RunnerRefused,
  SecretDisabled,
  SecretVersionMissing,
  WouldFormACycle,
] as const;

/** The refusals of a proposal. */
const proposalFailures = [...hireFailures, LoaderVariables] as const;

const decisionFailures = [
  ...hireFailures,
  UrlKeyTaken,
  NotADraft,
  ApprovalChanged,
  ApprovalNotFound,
  ApprovalNotPending,
  ChosenOwnerNotAsked,
  ChosenOwnerRequired,
  ClassNotDeclared,
  ClassNotGranted,
  OffListReasonRequired,
  OwnRequest,
  PermissionMissing,
  ProofNotAccepted,
  Unauthenticated,
] as const;

const aboutDecisions =
  "With payloadRevision, refused if the payload was resubmitted since. The same decision by the same caller is recorded once. The requesting agent is woken once.";

const decision = <const Path extends `/api/approvals/{approvalId}/${Decision}`>(
  path: Path,
  decision: Decision,
  summary: string,
  description: string,
  action: "reject" | "requestRevision",
) =>
  endpoint({
    method: "POST",
    path: path as `/api/approvals/{approvalId}/${Decision}`,
    summary,
    description,
    access: acting("approval", action),
    body: z.strictObject({ decisionNote: Note, payloadRevision: PayloadRevision }),
    returns: ApprovalDetailShape,
    failures: decisionFailures,
    run: ({ approvals }, { approvalId, decisionNote, payloadRevision }, { caller }) =>
      approvals
        .decide({
          approvalId,
          caller,
          payloadRevision: payloadRevision ?? null,
          decision,
          note: decisionNote ?? null,
          chosenOwner: null,
          offListReason: null,
        })
        .pipe(Effect.flatMap(({ id }) => approvals.show(id, caller))),
  });

export const approvals = {
  list: pageEndpoint({
    path: "/api/companies/{companyId}/approvals",
    summary: "List the approvals of a company",
    description: "Newest first.",
    access: inCompany("viewer"),
    query: {
      status: listOf(approvalStatuses).optional().describe("pending, …; several with commas."),
      type: listOf(approvalTypes).optional().describe("hire_agent, …; several with commas."),
    },
    limits: { default: 100, max: 500 },
    row: ApprovalShape,
    run: ({ views }, { companyId, status, type, limit, cursor }) =>
      views.approvals.list(
        { companyId, statuses: status?.filter((each) => each !== "resubmitted"), types: type },
        { limit, cursor },
      ),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/approvals/{approvalId}",
    summary: "Show an approval",
    description: "`payload` is the latest one. `authority` says whether you may decide it.",
    access: inCompanyOf("approval", "viewer"),
    returns: ApprovalDetailShape,
    failures: [ApprovalNotFound],
    run: ({ approvals }, { approvalId }, { caller }) => approvals.show(approvalId, caller),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/approvals",
    summary: "Request a decision of the board",
    description:
      "An agent requests for itself; inside a run the approval is linked to the run's issue, unless issueIds names others. A hire_agent approval made by this call creates its agent when it is approved.",
    access: acting("company", "requestApproval"),
    body: z.strictObject({
      type: z.enum(approvalTypes),
      requestedByAgentId: AgentReference.nullable()
        .optional()
        .describe("The agent on whose behalf the board requests. For an agent: itself."),
      payload: Payload,
      issueIds: Issues.optional().describe("Issues to link."),
    }),
    variants: { by: "type", field: "payload", of: payloads },
    returns: ApprovalDetailShape,
    status: 201,
    failures: [...proposalFailures, NotAllowed, TooManyRecords, ValidationFailed],
    creates: {
      again: ({ approvals }, id, { caller }) => approvals.show(id as ApprovalId, caller).pipe(Effect.orDie),
    },
    run: ({ approvals }, input, { by, caller, newId }) =>
      proposalOf(input.type, input.payload).pipe(
        Effect.flatMap((proposal) =>
          approvals.request({ ...input, ...proposal, id: newId<ApprovalId>(), by }),
        ),
        Effect.flatMap(({ id }) => approvals.show(id, caller).pipe(Effect.orDie)),
      ),
  }),
  hire: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/agent-hires",
    summary: "Propose a new agent",
    description:
      "Makes a draft agent and a hire_agent approval. The draft does nothing and cannot be changed until the decision. Without an adapterType it is a `process` agent that cannot run until the board configures it.",
    access: acting("company", "requestHire"),
    body: z.strictObject({ ...hireFields, issueIds: Issues.optional().describe("Issues to link.") }),
    returns: HireShape,
    status: 201,
    failures: [...proposalFailures, TooManyRecords, UrlKeyTaken],
    creates: {
      again: ({ approvals, agents }, id, { caller }) =>
        approvals.show(id as ApprovalId, caller).pipe(
          Effect.flatMap((approval) =>
            Effect.map(agents.show(approval.agentId!, caller), (agent) => ({ agent, approval })),
          ),
          Effect.orDie,
        ),
    },
    run: ({ agents, approvals }, input, { by, caller, newId }) =>
      approvals.requestHire({ ...input, id: newId<ApprovalId>(), by }).pipe(
        Effect.flatMap(({ agentId, approvalId }) =>
          Effect.all({
            agent: agents.show(agentId, caller),
            approval: approvals.show(approvalId, caller),
          }).pipe(Effect.orDie),
        ),
      ),
  }),
  authority: endpoint({
    method: "GET",
    path: "/api/approvals/{approvalId}/authority",
    summary: "Show whether you may decide an approval, and why",
    description:
      "Makes the evaluation of approve, reject and request-revision without deciding. Answers 200 even if you may not decide: the answer then holds the refusal.",
    access: inCompanyOf("approval", "viewer"),
    returns: AuthorityShape,
    failures: [ApprovalNotFound],
    run: ({ approvals }, { approvalId }, { caller }) =>
      Effect.map(
        approvals.reportAuthority({ approvalId, caller }),
        ({ refusal, approveRefusal, ...report }) => ({
          ...report,
          refusal: shownRefusal(refusal),
          approveRefusal: shownRefusal(approveRefusal),
        }),
      ),
  }),
  approve: endpoint({
    method: "POST",
    path: "/api/approvals/{approvalId}/approve",
    summary: "Approve",
    description: `Approving an ownership_decision takes its chosenOwner. ${aboutDecisions}`,
    access: acting("approval", "approve"),
    body: z.strictObject({
      decisionNote: Note,
      payloadRevision: PayloadRevision,
      chosenOwner: Name.nullable().optional(),
      offListReason: NonBlank.nullable()
        .optional()
        .describe("Why the chosen owner is not one of the candidates."),
    }),
    returns: ApprovalDetailShape,
    failures: decisionFailures,
    run: ({ approvals }, input, { caller }) =>
      approvals
        .decide({
          approvalId: input.approvalId,
          caller,
          payloadRevision: input.payloadRevision ?? null,
          decision: "approve",
          note: input.decisionNote ?? null,
          chosenOwner: input.chosenOwner ?? null,
          offListReason: input.offListReason ?? null,
        })
        .pipe(Effect.flatMap(({ id }) => approvals.show(id, caller))),
  }),
  reject: decision(
    "/api/approvals/{approvalId}/reject",
    "reject",
    "Reject an approval",
    `The draft of a hire is terminated. ${aboutDecisions}`,
    "reject",
  ),
  requestRevision: decision(
    "/api/approvals/{approvalId}/request-revision",
    "request-revision",
    "Request a revision",
    `Put the changes you want into decisionNote. ${aboutDecisions}`,
    "requestRevision",
  ),
  resubmit: endpoint({
    method: "POST",
    path: "/api/approvals/{approvalId}/resubmit",
    summary: "Resubmit an approval after a revision was requested",
    description:
      "For the requesting agent and the board. The payload replaces the previous one; if omitted, that one stays. The answer has the status resubmitted; the approval is then pending.",
    access: acting("approval", "resubmit"),
    body: z.strictObject({ payload: Payload.optional() }),
    returns: ApprovalDetailShape,
    failures: [
      ...proposalFailures,
      ApprovalNotFound,
      NoRevisionRequested,
      TooManyRecords,
      UrlKeyTaken,
      NotAllowed,
      ValidationFailed,
    ],
    run: ({ approvals }, { approvalId, payload }, { by, caller }) =>
      Effect.gen(function* () {
        const { type } = yield* approvals.show(approvalId, caller);
        const proposal = payload === undefined ? undefined : yield* proposalOf(type, payload);
        yield* approvals.resubmit({ approvalId, proposal, by });
        return { ...(yield* approvals.show(approvalId, caller)), status: "resubmitted" as const };
      }),
  }),
  ...approvalRelations,
};
