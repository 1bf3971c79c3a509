import * as Effect from "effect/Effect";
import { z } from "zod";
import { AdapterBusy } from "../../../core/model/adapters/adapter.ts";
import {
  AdapterConfigInvalid,
  AdapterUnknown,
  AgentNotFound,
  AgentPendingApproval,
  AgentTerminated,
  UrlKeyTaken,
} from "../../../core/model/agents/agent.ts";
import { MaskWithoutValue } from "../../../core/model/agents/agent-config.ts";
import { LoaderVariables } from "../../../core/model/agents/loader-variables.ts";
import { AgentNotAssignable } from "../../../core/model/agents/named-agent.ts";
import { PathNotAllowed } from "../../../core/model/agents/named-paths.ts";
import { VolumeUnknown, WorkspaceInUse } from "../../../core/model/agents/volume.ts";
import { wakeRefusals } from "../../../core/model/runs/wake-refusal.ts";
import { SecretVersionMissing } from "../../../core/model/secrets/binding.ts";
import { SecretDisabled } from "../../../core/model/secrets/secret.ts";
import { NotAllowed, ReferenceNotFound, WouldFormACycle } from "../../../core/model/shared/failure.ts";
import type { AgentId, VolumeId, WakeId } from "../../../core/model/shared/ids.ts";
import { RunnerRefused } from "../../../core/staff/agents/choose-runner.ts";
import { SkillsUnsupported, SkillUnknown } from "../../../core/staff/agents/sync-skills.ts";
import { grantFields } from "../approvals/grant-shapes.ts";
import { acting, agentOnly, inCompany, inCompanyOf, verified } from "../endpoint/access.ts";
import { withCallerMay } from "../endpoint/caller-may.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { asWritten } from "../endpoint/page-endpoint.ts";
import { type InCompany, sharedRead } from "../endpoint/shared-read.ts";
import {
  AgentReference,
  Cents,
  FreeObject,
  IssueReference,
  Name,
  reference,
  ShortText,
  Text,
} from "../endpoint/values.ts";
import { McpServerOfAgentShape } from "../mcp-servers/mcp-server-shapes.ts";
import { InvocationShape } from "../runs/run-shapes.ts";
import { agentKeys } from "./agent-keys.ts";
import { agentRevisions } from "./agent-revisions.ts";
import {
  AdapterConfigInput,
  AgentDetailShape,
  AgentExplanationShape,
  AgentShape,
  byUrlKey,
  OfferedSkillsShape,
  OrgNode,
  RuntimeConfigInput,
  RuntimeConfigPatchInput,
  SkillsShape,
} from "./agent-shapes.ts";

const fields = {
  title: Name.nullable().optional(),
  reportsTo: AgentReference.nullable().optional(),
  capabilities: Text.nullable().optional(),
  adapterConfig: AdapterConfigInput.optional(),
  runtimeConfig: RuntimeConfigInput.optional(),
  budgetMonthlyCents: Cents.optional().describe("0: no limit."),
  metadata: FreeObject.nullable().optional(),
  grants: z
    .array(z.strictObject(grantFields))
    .max(100)
    .optional()
    .describe(
      "All permissions to decide in place of people. Only owners set them; those that are not listed are revoked.",
    ),
};

const readList = sharedRead(({ agents }, { companyId }: InCompany) =>
  Effect.map(agents.list(companyId), asWritten),
);

export const agents = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/agents",
    summary: "List the agents of a company",
    description: "Terminated ones come last.",
    access: inCompany("viewer"),
    query: withCallerMay,
    returns: z.array(AgentShape).readonly(),
    run: (app, { companyId, callerMay }, { caller }) =>
      callerMay ? Effect.map(app.agents.listFor(companyId, caller), asWritten) : readList(app, { companyId }),
  }),
  me: endpoint({
    method: "GET",
    path: "/api/agents/me",
    summary: "Show the calling agent",
    description:
      "For agents only: your record, your configuration, and your chainOfCommand, nearest manager first.",
    access: agentOnly,
    returns: AgentDetailShape,
    failures: [AgentNotFound],
    run: ({ agents }, _, { caller }) => agents.show(caller.agentId, caller),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/agents/{agentId}",
    summary: "Show an agent",
    description:
      "With its chain of command. A terminated agent is found only by its id. What it does and why: `explanation`.",
    access: inCompanyOf("agent", "viewer"),
    query: byUrlKey,
    returns: AgentDetailShape,
    failures: [AgentNotFound],
    run: ({ agents }, { agentId }, { caller }) => agents.show(agentId, caller),
  }),
  explanation: endpoint({
    method: "GET",
    path: "/api/agents/{agentId}/explanation",
    summary: "Show what an agent does and why",
    description: "With what starts its next run, and what it did today (UTC).",
    access: inCompanyOf("agent", "viewer"),
    query: byUrlKey,
    returns: AgentExplanationShape,
    failures: [AgentNotFound],
    run: ({ agents }, { agentId }, { companyId }) => agents.explain(agentId, companyId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/agents",
    summary: "Create an agent",
    description:
      "Issues can be assigned to it at once; its creation does not wake it. An adapterType that this service does not know is refused, and so is a name whose urlKey another agent of the company has. Agents propose colleagues by `agent-hires`.",
    access: acting("company", "createAgent"),
    body: z.strictObject({
      name: Name,
      role: Name.optional().describe("engineer, manager, ceo, researcher, … Default general."),
      adapterType: ShortText.describe("process, adapter_a_local, …"),
      ...fields,
    }),
    returns: AgentDetailShape,
    status: 201,
    failures: [
      AdapterConfigInvalid,
      PathNotAllowed,
      AdapterUnknown,
      MaskWithoutValue,
      NotAllowed,
      ReferenceNotFound,
      RunnerRefused,
      SecretDisabled,
      SecretVersionMissing,
      UrlKeyTaken,
      WouldFormACycle,
      AgentNotAssignable,
    ],
    creates: {
      again: ({ agents }, id, { caller }) => agents.show(id as AgentId, caller).pipe(Effect.orDie),
    },
    run: ({ agents }, { grants, ...input }, { by, caller, newId }) =>
      agents
        .create({ ...input, grants: grants && { grants, caller }, id: newId<AgentId>(), by })
        .pipe(Effect.flatMap(({ id }) => agents.show(id, caller).pipe(Effect.orDie))),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/agents/{agentId}",
    summary: "Change an agent's configuration",
    description:
      "adapterConfig and runtimeConfig are merged deeply, and per variable of `env`: `null` deletes, arrays are replaced, a value sent as the mask `••••` keeps the stored one. Each change is a revision. An agent may change only those of its own settings that its adapter allows.",
    access: acting("agent", "update"),
    query: byUrlKey,
    body: z.strictObject({
      name: Name.optional(),
      role: Name.optional(),
      adapterType: ShortText.optional(),
      ...fields,
      runtimeConfig: RuntimeConfigPatchInput.optional(),
    }),
    returns: AgentDetailShape,
    failures: [
      LoaderVariables,
      AdapterConfigInvalid,
      PathNotAllowed,
      AdapterUnknown,
      AgentNotFound,
      AgentPendingApproval,
      AgentTerminated,
      MaskWithoutValue,
      NotAllowed,
      ReferenceNotFound,
      RunnerRefused,
      SecretDisabled,
      SecretVersionMissing,
      UrlKeyTaken,
      WouldFormACycle,
      AgentNotAssignable,
    ],
    run: ({ agents }, { agentId, companyId: _, grants, ...changes }, { by, caller }) =>
      agents
        .update({ agentId, by, changes, grants: grants && { grants, caller } })
        .pipe(Effect.flatMap(({ id }) => agents.show(id, caller))),
  }),
  skills: endpoint({
    method: "GET",
    path: "/api/agents/{agentId}/skills",
    summary: "List an agent's skills",
    description:
      "Lists the skills of the catalogue (folders with a SKILL.md in `skills/` of the service's data directory, and the service's own `boardroom`), the desired skills of the agent, and those that its program finds by itself.",
    access: inCompanyOf("agent", "viewer"),
    query: byUrlKey,
    returns: SkillsShape,
    failures: [AdapterBusy, AdapterUnknown, AgentNotFound],
    run: ({ agents }, { agentId }, { companyId }) => agents.skills({ agentId, companyId }),
  }),
  mcpServers: endpoint({
    method: "GET",
    path: "/api/agents/{agentId}/mcp-servers",
    summary: "List the MCP servers that an agent's runs get",
    description:
      "Those of the company for all agents, for it, and for its role, by name. The adapters of claude, codex, opencode and ACP hand them to their programs.",
    access: inCompanyOf("agent", "viewer"),
    query: byUrlKey,
    returns: z.array(McpServerOfAgentShape).readonly(),
    failures: [AgentNotFound],
    run: ({ mcpServers }, { agentId }, { companyId }) =>
      Effect.map(mcpServers.ofAgent({ agentId, companyId }), (servers) =>
        servers.map(({ id, name, url, command, tools }) => ({ id, name, url, command, tools })),
      ),
  }),
  offeredSkills: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/skills",
    summary: "List the skills that agents can be given",
    description:
      "The catalogue of this service, for an agent that does not exist yet; `agents.skills` shows those of one agent.",
    access: inCompany("viewer"),
    returns: OfferedSkillsShape,
    run: ({ agents }) => agents.offeredSkills(),
  }),
  syncSkills: endpoint({
    method: "POST",
    path: "/api/agents/{agentId}/skills/sync",
    summary: "Set the skills of an agent",
    description:
      "Takes effect with its next run. The list replaces the previous one; it is stored as desiredSkills of adapterConfig, as a revision like any other change.",
    access: acting("agent", "syncSkills"),
    query: byUrlKey,
    body: z.strictObject({
      desiredSkills: z.array(ShortText).max(100).describe("Keys of skills in the catalogue."),
    }),
    returns: SkillsShape,
    failures: [
      AdapterUnknown,
      AgentNotFound,
      AgentPendingApproval,
      AgentTerminated,
      ReferenceNotFound,
      SecretDisabled,
      SecretVersionMissing,
      SkillsUnsupported,
      SkillUnknown,
    ],
    run: ({ agents }, { agentId, desiredSkills }, { by }) =>
      agents.syncSkills({ agentId, desiredSkills, by }),
  }),
  pause: endpoint({
    method: "POST",
    path: "/api/agents/{agentId}/pause",
    summary: "Pause an agent",
    description: "Ends its live runs; none starts until it is resumed.",
    access: acting("agent", "pause"),
    query: byUrlKey,
    returns: AgentDetailShape,
    failures: [AgentNotFound, AgentPendingApproval, AgentTerminated],
    run: ({ agents }, { agentId }, { by, caller }) =>
      agents.pause({ agentId, by }).pipe(Effect.flatMap(({ id }) => agents.show(id, caller))),
  }),
  resume: endpoint({
    method: "POST",
    path: "/api/agents/{agentId}/resume",
    summary: "Resume a paused agent, or clear its last error",
    description:
      "Lifts a manual pause; pauseReason names what still holds the agent, such as its budget. If nothing does, wakes it once for each issue that it can continue or that had a wake for it meanwhile.",
    access: acting("agent", "resume"),
    query: byUrlKey,
    returns: AgentDetailShape,
    failures: [AgentNotFound, AgentPendingApproval, AgentTerminated],
    run: ({ agents }, { agentId }, { by, caller }) =>
      agents.resume({ agentId, by }).pipe(Effect.flatMap(({ id }) => agents.show(id, caller))),
  }),
  terminate: endpoint({
    method: "POST",
    path: "/api/agents/{agentId}/terminate",
    summary: "Terminate an agent permanently",
    description: "Irreversible. Its keys are revoked and its runs ended.",
    access: verified(acting("agent", "terminate")),
    query: byUrlKey,
    returns: AgentDetailShape,
    failures: [AgentNotFound],
    run: ({ agents }, { agentId }, { by, caller }) =>
      agents.terminate({ agentId, by }).pipe(Effect.flatMap(({ id }) => agents.show(id, caller))),
  }),
  releaseWorkspace: endpoint({
    method: "POST",
    path: "/api/agents/{agentId}/workspace/release",
    summary: "Take an agent from its host",
    description:
      "Its next run starts on another host if one has a free slot first, without the files of its workspace, which stay where they are, and without its sessions. Refused while a run is running there.",
    access: acting("agent", "releaseWorkspace"),
    query: byUrlKey,
    body: z.strictObject({
      to: reference<VolumeId>()
        .optional()
        .describe("The volume of the host that it goes to. Default: wherever its next run starts."),
    }),
    returns: AgentDetailShape,
    failures: [AgentNotFound, AgentTerminated, VolumeUnknown, WorkspaceInUse],
    run: ({ agents }, { agentId, to }, { by, caller }) =>
      agents
        .releaseWorkspace({ agentId, to: to ?? null, by })
        .pipe(Effect.flatMap(() => agents.show(agentId, caller))),
  }),
  invoke: endpoint({
    method: "POST",
    path: "/api/agents/{agentId}/heartbeat/invoke",
    summary: "Wake an agent",
    description:
      "Answers with the run that was queued or joined. While a run of the same agent and issue is running, status is `deferred` and the wake becomes the next run.",
    access: acting("agent", "invoke"),
    query: byUrlKey,
    body: z.strictObject({
      issueId: IssueReference.optional(),
      message: Text.optional().describe("Text for the agent's prompt."),
    }),
    returns: InvocationShape,
    status: 202,
    failures: [AgentNotFound, NotAllowed, ReferenceNotFound, ...wakeRefusals],
    creates: { again: ({ views }, id) => views.runs.ofWake(id as WakeId) },
    run: ({ agents, views }, { agentId, issueId, message }, { by, newId }) => {
      const id = newId<WakeId>();
      return agents
        .invoke({ id, agentId, issueId, payload: message === undefined ? {} : { message }, by })
        .pipe(Effect.flatMap(() => views.runs.ofWake(id)));
    },
  }),
  org: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/org",
    summary: "Show the chain of command as a tree",
    description:
      "Lists each agent with its reports, by name. Terminated agents are omitted; their reports are at the top level.",
    access: inCompany("viewer"),
    returns: z.array(OrgNode).readonly(),
    run: sharedRead(({ agents }, { companyId }: InCompany) => agents.org(companyId)),
  }),
  ...agentKeys,
  ...agentRevisions,
};
