import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  AdapterConfigInvalid,
  AdapterUnknown,
  AgentNotFound,
  AgentPendingApproval,
  AgentTerminated,
  UrlKeyTaken,
} from "../../../core/model/agents/agent.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { PathNotAllowed } from "../../../core/model/agents/named-paths.ts";
import { SecretVersionMissing } from "../../../core/model/secrets/binding.ts";
import { SecretDisabled } from "../../../core/model/secrets/secret.ts";
import { ReferenceNotFound, RevisionNotFound, WouldFormACycle } from "../../../core/model/shared/failure.ts";
import type { AgentId } from "../../../core/model/shared/ids.ts";
import { RunnerRefused } from "../../../core/staff/agents/choose-runner.ts";
import { acting, boardInCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { ShortText } from "../endpoint/values.ts";
import { AgentConfigRevisionShape, AgentDetailShape, byUrlKey } from "./agent-shapes.ts";

/** The revisions of an agent's configuration. */
export const agentRevisions = {
  configRevisions: pageEndpoint({
    path: "/api/agents/{agentId}/config-revisions",
    summary: "List the revisions of an agent's configuration",
    description: "Newest first.",
    access: boardInCompanyOf("agent", "viewer"),
    query: byUrlKey.shape,
    limits: { default: 100, max: 500 },
    row: AgentConfigRevisionShape,
    run: ({ views }, { agentId, limit, cursor }) => views.agents.revisions(agentId, { limit, cursor }),
  }),
  rollback: endpoint({
    method: "POST",
    path: "/api/agents/{agentId}/config-revisions/{revisionId}/rollback",
    summary: "Restore an earlier configuration",
    description: "Applies the configuration of that revision, as a new revision.",
    access: acting("agent", "rollback"),
    query: byUrlKey,
    body: z.strictObject({
      secrets: z
        .array(ShortText)
        .max(200)
        .optional()
        .describe(
          "Where that configuration leads to another host: the variables whose stored secrets may go there.",
        ),
    }),
    returns: AgentDetailShape,
    failures: [
      AdapterConfigInvalid,
      PathNotAllowed,
      AdapterUnknown,
      AgentNotFound,
      AgentPendingApproval,
      AgentTerminated,
      ReferenceNotFound,
      RunnerRefused,
      RevisionNotFound,
      SecretDisabled,
      SecretVersionMissing,
      UrlKeyTaken,
      WouldFormACycle,
      AgentNotAssignable,
    ],
    creates: {
      again: ({ agents }, id, { caller }) => agents.show(id as AgentId, caller),
      idOf: ({ id }) => id,
    },
    run: ({ agents }, input, { by, caller }) =>
      agents.rollback({ ...input, by }).pipe(Effect.flatMap(({ id }) => agents.show(id, caller))),
  }),
};
