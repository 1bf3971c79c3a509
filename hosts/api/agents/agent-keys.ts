import { z } from "zod";
import { AgentNotFound, AgentPendingApproval, AgentTerminated } from "../../../core/model/agents/agent.ts";
import { AgentKeyNotFound } from "../../../core/model/agents/agent-key.ts";
import type { AgentKeyId } from "../../../core/model/shared/ids.ts";
import { acting, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, Name } from "../endpoint/values.ts";
import { AgentKeyShape, byUrlKey, NewAgentKeyShape } from "./agent-shapes.ts";

/** The long-lived keys of an agent. */
export const agentKeys = {
  keys: endpoint({
    method: "GET",
    path: "/api/agents/{agentId}/keys",
    summary: "List an agent's long-lived keys",
    description: "Oldest first, revoked ones included, without their texts. Tokens of runs are not listed.",
    access: acting("agent", "manageKeys"),
    query: byUrlKey,
    returns: z.array(AgentKeyShape).readonly(),
    run: ({ views }, { agentId }) => views.agents.keys(agentId),
  }),
  createKey: endpoint({
    method: "POST",
    path: "/api/agents/{agentId}/keys",
    summary: "Make a long-lived key for an agent",
    description: "The key is shown only in this answer.",
    access: verified(acting("agent", "manageKeys")),
    query: byUrlKey,
    body: z.strictObject({ name: Name.optional() }),
    returns: NewAgentKeyShape,
    status: 201,
    failures: [AgentNotFound, AgentPendingApproval, AgentTerminated],
    creates: { again: ({ views }, id) => views.agents.key(id as AgentKeyId), showsSecret: true },
    run: ({ agents }, { agentId, name }, { by, newId }) =>
      agents.createKey({ id: newId<AgentKeyId>(), agentId, name: name ?? "default", by }),
  }),
  revokeKey: endpoint({
    method: "DELETE",
    path: "/api/agents/{agentId}/keys/{keyId}",
    summary: "Revoke a key of an agent",
    description:
      "It is refused from the next request on; a live run continues with its own token. Revoking it again changes nothing.",
    access: acting("agent", "manageKeys"),
    query: byUrlKey,
    returns: Done,
    failures: [AgentKeyNotFound, AgentNotFound],
    run: ({ agents }, { agentId, keyId }, { by }) => agents.revokeKey({ agentId, keyId, by }),
  }),
};
