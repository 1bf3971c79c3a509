import * as Effect from "effect/Effect";
import { z } from "zod";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { GrantNotFound } from "../../../core/model/approvals/grant.ts";
import { ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { GrantId } from "../../../core/model/shared/ids.ts";
import { acting, boardInCompany } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { AgentReference } from "../endpoint/values.ts";
import { GrantShape, grantFields } from "./grant-shapes.ts";

export const grants = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/grants",
    summary: "List the grants of a company",
    description: "Newest first, revoked ones included.",
    access: boardInCompany("viewer"),
    returns: z.array(GrantShape).readonly(),
    run: ({ views }, { companyId }) => views.approvals.grants(companyId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/grants",
    summary: "Let an agent decide approvals of some classes",
    description:
      "Only people decide approvals of the other types, and an agent never decides its own requests.",
    access: acting("company", "manageGrants"),
    body: z.strictObject({
      agentId: AgentReference,
      ...grantFields,
    }),
    returns: GrantShape,
    status: 201,
    failures: [AgentNotAssignable, ReferenceNotFound],
    creates: { again: ({ views }, id) => views.approvals.grant(id as GrantId).pipe(Effect.orDie) },
    run: ({ approvals }, input, { caller, newId }) =>
      approvals.makeGrant({ ...input, id: newId<GrantId>(), caller }),
  }),
  revoke: endpoint({
    method: "DELETE",
    path: "/api/grants/{grantId}",
    summary: "Revoke a grant",
    description: "Decisions made by it stay valid.",
    access: acting("company", "manageGrants", "grant"),
    returns: GrantShape,
    failures: [GrantNotFound],
    run: ({ approvals }, { grantId }, { caller }) => approvals.revokeGrant({ grantId, caller }),
  }),
};
