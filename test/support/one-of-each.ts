import { randomUUID } from "node:crypto";
import type { PathParam } from "../../hosts/api/endpoint/params.ts";
import type { ApiService } from "./api-service.ts";
import { fileForm } from "./file-form.ts";

/** Stores a repository as if its host had answered, in a folder of its own. */
export const aRepository = async (api: ApiService, companyId: string, projectId: string): Promise<string> => {
  const [row] = await api.sql<{ id: string }[]>`
    insert into repositories (id, company_id, project_id, url, default_branch, directory, mode, checked_at, created_at, updated_at)
    values (gen_random_uuid(), ${companyId}, ${projectId}, 'https://git.invalid/r.git', 'main', gen_random_uuid()::text, 'issue', now(), now(), now())
    returning id
  `;
  return row!.id;
};

/** Stores an MCP server as if it had listed its tools. */
export const anMcpServer = async (api: ApiService, companyId: string): Promise<string> => {
  const [row] = await api.sql<{ id: string }[]>`
    insert into mcp_servers (id, company_id, name, url, all_agents, tools, tested_at, created_at, updated_at)
    values (gen_random_uuid(), ${companyId}, 's' || replace(gen_random_uuid()::text, '-', ''), 'https://mcp.invalid/', true, '[]', now(), now(), now())
    returning id
  `;
  return row!.id;
};

/** A subscription to the company's events, at an address that does not answer. */
export const anEventSubscription = async (api: ApiService, companyId: string): Promise<string> => {
  const path = `/api/companies/${companyId}/event-subscriptions`;
  return (await api.make(path, { url: "https://hooks.invalid/", events: ["issue.*"] })).id;
};

/** An event that waits to be sent to a subscription of its own. */
export const anEventDelivery = async (api: ApiService, companyId: string): Promise<string> =>
  (await api.make(`/api/event-subscriptions/${await anEventSubscription(api, companyId)}/test`)).id;

/** Stores a workspace of an issue as if a run had ended in it, without a folder. */
export const aTree = async (
  { sql }: Pick<ApiService, "sql">,
  companyId: string,
  issueId: string,
): Promise<string> => {
  const [row] = await sql<{ id: string }[]>`
    insert into issue_workspaces (id, company_id, issue_id, volume, run_id, clones, used_at, created_at)
    values (gen_random_uuid(), ${companyId}, ${issueId}, gen_random_uuid()::text, gen_random_uuid(), '[]', now(), now())
    returning id
  `;
  return row!.id;
};

/** Creates one entity for every path parameter, in a company of its own. Entities for new parameters belong here. */
export const oneOfEach = async (api: ApiService): Promise<Readonly<Record<PathParam, string>>> => {
  const { id: companyId } = await api.company();
  const inCompany = async (things: string, body: object): Promise<string> =>
    (await api.make(`/api/companies/${companyId}/${things}`, body)).id;
  const { id: userId } = await api.user(companyId, "viewer");
  const { id: agentId } = await api.agent(companyId);
  const { id: issueId } = await api.issue(companyId);
  const projectId = await inCompany("projects", { name: "P" });
  const routineId = await inCompany("routines", { title: "R", assigneeAgentId: agentId, projectId });
  const trigger = await api.make(`/api/routines/${routineId}/triggers`, { kind: "webhook" });
  const [revision] = (await api.get(`/api/agents/${agentId}/config-revisions`)).body;
  const key = "plan";
  await api.put(`/api/issues/${issueId}/documents/${key}`, { body: "text" });
  const [documentRevision] = (await api.get(`/api/issues/${issueId}/documents/${key}/revisions`)).body;
  const attach = `/api/companies/${companyId}/issues/${issueId}/attachments`;
  const attachment = await api.make(attach, fileForm("text"));
  const confirmation = { kind: "request_confirmation", payload: { version: 1, prompt: "Go on?" } };
  return {
    companyId,
    secretVersion: "1",
    userId,
    agentId,
    issueId,
    projectId,
    routineId,
    triggerId: trigger.id,
    publicId: trigger.publicId,
    revisionId: revision.id,
    key,
    documentRevisionId: documentRevision.id,
    mcpServerId: await anMcpServer(api, companyId),
    eventSubscriptionId: await anEventSubscription(api, companyId),
    eventDeliveryId: await anEventDelivery(api, companyId),
    repositoryId: await aRepository(api, companyId, projectId),
    workspaceId: await aTree(api, companyId, issueId),
    goalId: await inCompany("goals", { title: "G" }),
    secretId: await inCompany("secrets", { name: "S", value: "a value of some length" }),
    vaultId: await inCompany("secret-provider-configs", { provider: "local_encrypted", displayName: "V" }),
    approvalId: await inCompany("approvals", { type: "approve_ceo_strategy", payload: {} }),
    grantId: await inCompany("grants", { agentId, permission: "ownership:decide", classes: ["tooling"] }),
    runId: (await api.make(`/api/agents/${agentId}/heartbeat/invoke`)).id,
    adapterType: "process",
    runnerName: "local",
    keyId: (await api.make(`/api/agents/${agentId}/keys`)).id,
    tokenId: (await api.make("/api/board-tokens", { name: "t", userId })).id,
    assistantId: randomUUID(),
    passkeyId: randomUUID(),
    unsubscribeToken: randomUUID(),
    pushSubscriptionId: randomUUID(),
    sessionId: randomUUID(),
    savedViewId: (await api.put(`/api/companies/${companyId}/saved-views`, { name: "V", query: "" })).body.id,
    labelId: await inCompany("labels", { name: "L" }),
    attachmentId: attachment.id,
    assetId: attachment.assetId,
    entryId: `approval:${companyId}`,
    commentId: (await api.make(`/api/issues/${issueId}/comments`, { body: "Words" })).id,
    interactionId: (await api.make(`/api/issues/${issueId}/interactions`, confirmation)).id,
  };
};
