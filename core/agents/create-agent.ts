import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import type { AgentId, CompanyId } from "../shared/ids.ts";
import { newAgent } from "./agent.ts";
import { type AdapterConfig, configOf, mergeAdapterConfig, type RuntimeConfig } from "./agent-config.ts";
import { checkAdapter, checkManager } from "./agent-settings.ts";

export interface CreateAgent {
  readonly id: AgentId;
  readonly companyId: CompanyId;
  readonly by: Actor;
  readonly name: string;
  readonly role?: string | undefined;
  readonly title?: string | null | undefined;
  readonly reportsTo?: AgentId | null | undefined;
  readonly capabilities?: string | null | undefined;
  readonly adapterType: string;
  readonly adapterConfig?: AdapterConfig | undefined;
  readonly runtimeConfig?: RuntimeConfig | undefined;
  readonly budgetMonthlyCents?: number | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

export const createAgent =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry) => (command: CreateAgent) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        yield* checkAdapter(adapters, command.adapterType);
        const adapterConfig = yield* Effect.fromResult(mergeAdapterConfig({}, command.adapterConfig ?? {}));
        yield* checkManager(stores, command.companyId, command.id, command.reportsTo ?? null);
        const at = clock.now();
        const agent = newAgent({
          id: command.id,
          companyId: command.companyId,
          name: command.name,
          role: command.role ?? "general",
          title: command.title ?? null,
          reportsTo: command.reportsTo ?? null,
          capabilities: command.capabilities ?? null,
          adapterType: command.adapterType,
          adapterConfig,
          runtimeConfig: command.runtimeConfig ?? {},
          budgetMonthlyCents: command.budgetMonthlyCents ?? 0,
          metadata: command.metadata ?? null,
          standing: "active",
          at,
        });
        yield* stores.agents.insert(agent);
        yield* stores.agents.insertRevision({
          id: ids.next<"revision">(),
          companyId: agent.companyId,
          agentId: agent.id,
          source: "create",
          rolledBackFromRevisionId: null,
          changedKeys: [],
          beforeConfig: null,
          afterConfig: configOf(agent),
          createdByAgentId: command.by.kind === "agent" ? command.by.agentId : null,
          createdByUserId: command.by.kind === "board" ? command.by.userId : null,
          createdAt: at,
        });
        yield* stores.activity.append({
          companyId: agent.companyId,
          by: command.by,
          at,
          action: "agent.created",
          entityId: agent.id,
          details: { name: agent.name, role: agent.role, adapterType: agent.adapterType },
        });
        return agent;
      }),
    );
