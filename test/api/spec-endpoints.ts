/** One row of the endpoint tables of the specification. Names in braces are the specification's. */
export interface SpecifiedEndpoint {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  /** Fields of body and query that the row names. */
  readonly takes?: readonly string[];
  /** The issue that will declare it; its author removes the field. */
  readonly open?: LaterIssue;
  /** Fields that a later issue will take. */
  readonly openFields?: Readonly<Record<string, LaterIssue>>;
}

/** The subjects of the later issues. */
export const laterIssues = {} as const;

export type LaterIssue = keyof typeof laterIssues;

/** The endpoint tables of the specification, row by row, in its order. */
export const specified: readonly SpecifiedEndpoint[] = [
  // Secrets
  { method: "GET", path: "/api/companies/{companyId}/secrets" },
  {
    method: "POST",
    path: "/api/companies/{companyId}/secrets",
    takes: [
      "name",
      "value",
      "provider",
      "managedMode",
      "externalRef",
      "providerVersionRef",
      "providerConfigId",
    ],
  },
  { method: "POST", path: "/api/secrets/{secretId}/rotate", takes: ["value", "providerConfigId"] },
  { method: "GET", path: "/api/companies/{companyId}/secret-providers/health" },
  // Secret-provider vaults (board auth and company access required)
  { method: "GET", path: "/api/companies/{companyId}/secret-provider-configs" },
  {
    method: "POST",
    path: "/api/companies/{companyId}/secret-provider-configs",
    takes: ["provider", "displayName", "isDefault", "config"],
  },
  { method: "GET", path: "/api/secret-provider-configs/{id}" },
  { method: "PATCH", path: "/api/secret-provider-configs/{id}", takes: ["displayName", "config"] },
  { method: "DELETE", path: "/api/secret-provider-configs/{id}" },
  { method: "POST", path: "/api/secret-provider-configs/{id}/default" },
  { method: "POST", path: "/api/secret-provider-configs/{id}/health" },
  // Remote import (board only, company-scoped)
  {
    method: "POST",
    path: "/api/companies/{companyId}/secrets/remote-import/preview",
    takes: ["providerConfigId", "query", "nextToken", "pageSize"],
  },
  {
    method: "POST",
    path: "/api/companies/{companyId}/secrets/remote-import",
    takes: ["providerConfigId", "secrets"],
  },
  // Adapters
  { method: "POST", path: "/api/adapters", takes: ["packageName", "localPath"] },
  { method: "GET", path: "/api/companies/{companyId}/adapters/{adapterType}/models" },
  // Approvals
  { method: "GET", path: "/api/companies/{companyId}/approvals", takes: ["status"] },
  { method: "GET", path: "/api/approvals/{approvalId}" },
  {
    method: "POST",
    path: "/api/companies/{companyId}/approvals",
    takes: ["type", "requestedByAgentId", "payload"],
  },
  {
    method: "POST",
    path: "/api/companies/{companyId}/agent-hires",
    takes: ["name", "role", "reportsTo", "capabilities", "budgetMonthlyCents"],
  },
  { method: "GET", path: "/api/approvals/{approvalId}/authority" },
  {
    method: "POST",
    path: "/api/approvals/{approvalId}/approve",
    takes: ["decisionNote", "chosenOwner", "offListReason"],
  },
  { method: "POST", path: "/api/approvals/{approvalId}/reject", takes: ["decisionNote"] },
  { method: "POST", path: "/api/approvals/{approvalId}/request-revision", takes: ["decisionNote"] },
  { method: "POST", path: "/api/approvals/{approvalId}/resubmit", takes: ["payload"] },
  { method: "GET", path: "/api/approvals/{approvalId}/issues" },
  { method: "GET", path: "/api/approvals/{approvalId}/comments" },
  { method: "POST", path: "/api/approvals/{approvalId}/comments", takes: ["body"] },
  // Agents
  { method: "GET", path: "/api/companies/{companyId}/agents" },
  { method: "GET", path: "/api/agents/{agentId}" },
  { method: "GET", path: "/api/agents/me" },
  {
    method: "POST",
    path: "/api/companies/{companyId}/agents",
    takes: ["name", "role", "title", "reportsTo", "capabilities", "adapterType", "adapterConfig"],
  },
  { method: "PATCH", path: "/api/agents/{agentId}", takes: ["adapterConfig", "budgetMonthlyCents"] },
  { method: "POST", path: "/api/agents/{agentId}/pause" },
  { method: "POST", path: "/api/agents/{agentId}/resume" },
  { method: "POST", path: "/api/agents/{agentId}/terminate" },
  { method: "POST", path: "/api/agents/{agentId}/keys" },
  { method: "POST", path: "/api/agents/{agentId}/heartbeat/invoke" },
  { method: "GET", path: "/api/companies/{companyId}/org" },
  { method: "GET", path: "/api/agents/{agentId}/config-revisions" },
  { method: "POST", path: "/api/agents/{agentId}/config-revisions/{revisionId}/rollback" },
  // Costs
  {
    method: "POST",
    path: "/api/companies/{companyId}/cost-events",
    takes: ["agentId", "provider", "model", "inputTokens", "outputTokens", "costCents"],
  },
  { method: "GET", path: "/api/companies/{companyId}/costs/summary" },
  { method: "GET", path: "/api/companies/{companyId}/costs/by-agent" },
  { method: "GET", path: "/api/companies/{companyId}/costs/by-project" },
  // Companies
  { method: "GET", path: "/api/companies" },
  { method: "GET", path: "/api/companies/{companyId}" },
  { method: "POST", path: "/api/companies", takes: ["name", "description"] },
  {
    method: "PATCH",
    path: "/api/companies/{companyId}",
    takes: ["name", "description", "budgetMonthlyCents", "logoAssetId"],
  },
  { method: "POST", path: "/api/companies/{companyId}/logo" },
  { method: "POST", path: "/api/companies/{companyId}/archive" },
  // Routines
  { method: "GET", path: "/api/companies/{companyId}/routines" },
  { method: "GET", path: "/api/routines/{routineId}" },
  {
    method: "POST",
    path: "/api/companies/{companyId}/routines",
    takes: [
      "title",
      "description",
      "assigneeAgentId",
      "projectId",
      "goalId",
      "parentIssueId",
      "priority",
      "status",
      "concurrencyPolicy",
      "catchUpPolicy",
    ],
  },
  {
    method: "PATCH",
    path: "/api/routines/{routineId}",
    takes: [
      "title",
      "description",
      "assigneeAgentId",
      "projectId",
      "goalId",
      "parentIssueId",
      "priority",
      "status",
      "concurrencyPolicy",
      "catchUpPolicy",
      "baseRevisionId",
    ],
  },
  { method: "GET", path: "/api/routines/{routineId}/revisions" },
  { method: "POST", path: "/api/routines/{routineId}/revisions/{revisionId}/restore" },
  {
    method: "POST",
    path: "/api/routines/{routineId}/triggers",
    takes: ["kind", "cronExpression", "timezone", "signingMode", "replayWindowSec"],
  },
  {
    method: "PATCH",
    path: "/api/routine-triggers/{triggerId}",
    takes: ["enabled", "cronExpression"],
  },
  { method: "DELETE", path: "/api/routine-triggers/{triggerId}" },
  { method: "POST", path: "/api/routine-triggers/{triggerId}/rotate-secret" },
  {
    method: "POST",
    path: "/api/routines/{routineId}/run",
    takes: ["source", "triggerId", "payload", "idempotencyKey"],
  },
  { method: "POST", path: "/api/routine-triggers/public/{publicId}/fire" },
  { method: "GET", path: "/api/routines/{routineId}/runs", takes: ["limit"] },
  // Issues
  {
    method: "GET",
    path: "/api/companies/{companyId}/issues",
    takes: ["status", "assigneeAgentId", "projectId"],
  },
  { method: "GET", path: "/api/issues/{issueId}" },
  {
    method: "POST",
    path: "/api/companies/{companyId}/issues",
    takes: [
      "title",
      "description",
      "status",
      "priority",
      "assigneeAgentId",
      "parentId",
      "projectId",
      "goalId",
    ],
  },
  {
    method: "PATCH",
    path: "/api/issues/{issueId}",
    takes: [
      "title",
      "description",
      "status",
      "priority",
      "assigneeAgentId",
      "projectId",
      "goalId",
      "parentId",
      "billingCode",
      "comment",
    ],
  },
  { method: "POST", path: "/api/issues/{issueId}/checkout", takes: ["agentId", "expectedStatuses"] },
  { method: "POST", path: "/api/issues/{issueId}/release" },
  { method: "GET", path: "/api/issues/{issueId}/comments" },
  { method: "POST", path: "/api/issues/{issueId}/comments", takes: ["body"] },
  { method: "GET", path: "/api/issues/{issueId}/interactions" },
  {
    method: "POST",
    path: "/api/issues/{issueId}/interactions",
    takes: ["kind", "idempotencyKey", "title", "summary", "continuationPolicy", "payload"],
  },
  { method: "POST", path: "/api/issues/{issueId}/interactions/{interactionId}/accept" },
  { method: "POST", path: "/api/issues/{issueId}/interactions/{interactionId}/reject" },
  { method: "POST", path: "/api/issues/{issueId}/interactions/{interactionId}/respond" },
  { method: "GET", path: "/api/issues/{issueId}/documents" },
  { method: "GET", path: "/api/issues/{issueId}/documents/{key}" },
  {
    method: "PUT",
    path: "/api/issues/{issueId}/documents/{key}",
    takes: ["title", "format", "body", "baseRevisionId"],
  },
  { method: "GET", path: "/api/issues/{issueId}/documents/{key}/revisions" },
  { method: "DELETE", path: "/api/issues/{issueId}/documents/{key}" },
  { method: "POST", path: "/api/companies/{companyId}/issues/{issueId}/attachments" },
  { method: "GET", path: "/api/issues/{issueId}/attachments" },
  { method: "GET", path: "/api/attachments/{attachmentId}/content" },
  { method: "DELETE", path: "/api/attachments/{attachmentId}" },
];
