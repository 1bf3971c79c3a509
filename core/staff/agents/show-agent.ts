import * as Effect from "effect/Effect";
import type { Clock } from "../../../ports/clock.ts";
import type {
  ActedOnAgent,
  AgentRecord,
  AgentView,
  AgentViews,
  ListedAgent,
  OrgMember,
} from "../../../ports/views/agent-views.ts";
import { JsonText } from "../../../ports/views/page.ts";
import type { AgentCaller, BoardCaller } from "../../model/access/caller.ts";
import { agentActions } from "../../model/agents/agent-actions.ts";
import { type AgentStatus, agentStatus, pauseReason } from "../../model/agents/agent-status.ts";
import { maskedFromLength } from "../../model/secrets/secret.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";
import type { Instant } from "../../model/shared/instant.ts";

const viewOf = <Long extends Pick<AgentView | ListedAgent, "adapterConfig" | "metadata">>(
  record: Omit<AgentRecord, "adapterConfig" | "metadata"> & Long,
  at: Instant,
): Omit<AgentView, "adapterConfig" | "metadata"> & Pick<Long, "adapterConfig" | "metadata"> => ({
  id: record.id,
  companyId: record.companyId,
  name: record.name,
  urlKey: record.urlKey,
  role: record.role,
  title: record.title,
  reportsTo: record.reportsTo,
  capabilities: record.capabilities,
  status: agentStatus(record, record.companyStatus, record.currentRun !== null, at),
  pauseReason: record.lifecycleState === "active" ? pauseReason(record, record.companyStatus, at) : null,
  errorReason: record.errorReason,
  currentRun: record.currentRun,
  workspace: record.workspace,
  adapterType: record.adapterType,
  adapterConfig: record.adapterConfig,
  runtimeConfig: record.runtimeConfig,
  budgetMonthlyCents: record.budgetMonthlyCents,
  spentMonthlyCents: record.spentMonthlyCents,
  metadata: record.metadata,
  lastHeartbeatAt: record.lastHeartbeatAt,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
});

const shownTo = <Record extends ActedOnAgent | ListedAgent<ActedOnAgent>>(
  caller: BoardCaller | AgentCaller,
  record: Record,
  at: Instant,
) => ({
  ...viewOf<Record>(record, at),
  callerMay: agentActions({ ...record, at }, { ...record, caller }),
});

/** An agent with its reports. */
export interface OrgNode extends Pick<OrgMember, "id" | "name" | "role" | "title"> {
  readonly status: AgentStatus;
  readonly reports: readonly OrgNode[];
}

/** A member without a manager among the others is a root. */
const forestOf = (members: readonly OrgMember[], at: Instant): readonly OrgNode[] => {
  const living = new Set(members.map(({ id }) => id));
  const reportsOf = new Map<AgentId | null, OrgMember[]>();
  for (const member of members) {
    const manager = member.reportsTo !== null && living.has(member.reportsTo) ? member.reportsTo : null;
    reportsOf.set(manager, [...(reportsOf.get(manager) ?? []), member]);
  }
  const nodesBelow = (manager: AgentId | null): readonly OrgNode[] =>
    (reportsOf.get(manager) ?? []).map((member) => ({
      id: member.id,
      name: member.name,
      role: member.role,
      title: member.title,
      status: agentStatus(member, member.companyStatus, member.hasRunningRun, at),
      reports: nodesBelow(member.id),
    }));
  return nodesBelow(null);
};

/** The agents as a reader sees them. */
export const showAgent = (views: AgentViews, clock: Clock) => ({
  /** By name, terminated ones last. */
  list: (companyId: CompanyId) =>
    Effect.suspend(() => {
      const at = clock.now();
      return Effect.map(views.list(companyId, at), (all) =>
        all.map((record) => JsonText.of(viewOf<ListedAgent>(record, at))),
      );
    }),
  /** The same, with the actions that the reader may take on each. */
  listFor: (companyId: CompanyId, caller: BoardCaller | AgentCaller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return Effect.map(views.listActedOn(companyId, at), (all) =>
        all.map((record) => JsonText.of(shownTo(caller, record, at))),
      );
    }),
  show: (id: AgentId, caller: BoardCaller | AgentCaller) =>
    Effect.suspend(() => {
      const at = clock.now();
      return Effect.map(views.get(id, at), (record) => ({
        ...shownTo(caller, record, at),
        chainOfCommand: record.chainOfCommand,
        /** Surprising consequences of the configuration. */
        warnings: record.shortBindings.map(
          (path) =>
            `${path}: the secret has fewer than ${maskedFromLength} characters, so it isn't masked in run output.`,
        ),
      }));
    }),
  /** Those that are not terminated, as a forest. */
  org: (companyId: CompanyId) =>
    Effect.map(views.org(companyId), (members) => forestOf(members, clock.now())),
});
