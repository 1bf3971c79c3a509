import * as Effect from "effect/Effect";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import {
  type AgentConfig,
  configOf,
  mergeAdapterConfig,
  mergeRuntimeConfig,
  type RuntimeConfigPatch,
} from "../../model/agents/agent-config.ts";
import { refuseLoaderVariables } from "../../model/agents/loader-variables.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { setGrants, type WantedGrants } from "../approvals/set-grants.ts";
import {
  checkAdapter,
  checkAdapterConfig,
  checkOwnSettings,
  namedVariables,
  refuseSecretsElsewhere,
} from "./agent-settings.ts";
import { reconfigure } from "./apply-config.ts";
import { checkPaths } from "./check-paths.ts";
import { checkRunner } from "./choose-runner.ts";

export interface UpdateAgent {
  readonly agentId: AgentId;
  readonly by: Actor;
  /** Missing fields stay unchanged; adapterConfig and runtimeConfig are merged deeply. */
  readonly changes: {
    readonly [Field in Exclude<keyof AgentConfig, "runtimeConfig">]?: AgentConfig[Field] | undefined;
  } & { readonly runtimeConfig?: RuntimeConfigPatch | undefined };
  /** Omitted: unchanged. */
  readonly grants?: WantedGrants | undefined;
}

export const updateAgent = (adapters: AdapterRegistry, runners: Runners) =>
  useCase("agents.update", function* (unit, command: UpdateAgent) {
    const { changes } = command;
    const agent = yield* unit.agents.lock(command.agentId);
    yield* checkOwnSettings(adapters, agent, changes, unit.by);
    yield* Effect.fromResult(refuseLoaderVariables(unit.by, changes.adapterConfig));
    const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    const before = configOf(agent);
    const after: AgentConfig = {
      ...before,
      ...given,
      adapterConfig:
        changes.adapterConfig === undefined
          ? before.adapterConfig
          : yield* Effect.fromResult(mergeAdapterConfig(before.adapterConfig, changes.adapterConfig)),
      runtimeConfig:
        changes.runtimeConfig === undefined
          ? before.runtimeConfig
          : mergeRuntimeConfig(before.runtimeConfig, changes.runtimeConfig),
    };
    const named = { names: namedVariables(changes.adapterConfig), path: ["adapterConfig", "env"] };
    yield* Effect.fromResult(refuseSecretsElsewhere(before.adapterConfig, after.adapterConfig, named));
    const moves = after.runtimeConfig.runner !== before.runtimeConfig.runner;
    if (moves) yield* checkRunner(runners, after.runtimeConfig.runner, ["runtimeConfig", "runner"]);
    if (after.adapterType !== before.adapterType) yield* checkAdapter(adapters, after.adapterType);
    yield* checkAdapterConfig(adapters, after, before);
    const grantedPaths =
      changes.adapterConfig === undefined && !moves
        ? agent.grantedPaths
        : yield* checkPaths(unit, runners, {
            ...agent,
            agentId: agent.id,
            runtimeConfig: after.runtimeConfig,
            given: changes.adapterConfig ?? {},
            after: after.adapterConfig,
            // On another runner its paths were those of a pod or container, and were never judged.
            before: moves ? null : before.adapterConfig,
            granted: agent.grantedPaths,
            by: unit.by,
          });
    if (command.grants !== undefined) yield* setGrants(unit, agent, command.grants);
    return yield* reconfigure(unit, agent, after, { source: "patch", grantedPaths });
  });
