import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Runners } from "../../../ports/runners.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { transactAs } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import { AdapterConfigInvalid } from "../../model/agents/agent.ts";
import {
  type AdapterConfig,
  type AgentConfig,
  configOf,
  mergeAdapterConfig,
  mergeRuntimeConfig,
  type RuntimeConfigPatch,
} from "../../model/agents/agent-config.ts";
import { refuseLoaderVariables } from "../../model/agents/loader-variables.ts";
import { isElsewhere, secretNamedAgain } from "../../model/shared/destination.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { setGrants, type WantedGrants } from "../approvals/set-grants.ts";
import { checkAdapter, checkAdapterConfig, checkOwnSettings } from "./agent-settings.ts";
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
  /** Left out: they stay. */
  readonly grants?: WantedGrants | undefined;
}

export const updateAgent =
  (transactor: Transactor, clock: Clock, ids: Ids, adapters: AdapterRegistry, runners: Runners) =>
  (command: UpdateAgent) =>
    transactAs(transactor, command.by, function* (stores) {
      const { by, changes } = command;
      const agent = yield* stores.agents.lock(command.agentId);
      yield* checkOwnSettings(adapters, agent, changes, by);
      yield* Effect.fromResult(refuseLoaderVariables(by, changes.adapterConfig));
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
      yield* Effect.fromResult(refusalOfDestination(before.adapterConfig, after.adapterConfig, changes));
      const moves = after.runtimeConfig.runner !== before.runtimeConfig.runner;
      if (moves) yield* checkRunner(runners, after.runtimeConfig.runner, ["runtimeConfig", "runner"]);
      if (after.adapterType !== before.adapterType) yield* checkAdapter(adapters, after.adapterType);
      yield* checkAdapterConfig(adapters, after, before);
      const grantedPaths =
        changes.adapterConfig === undefined && !moves
          ? agent.grantedPaths
          : yield* checkPaths(stores, runners, {
              ...agent,
              agentId: agent.id,
              runtimeConfig: after.runtimeConfig,
              given: changes.adapterConfig ?? {},
              after: after.adapterConfig,
              // Elsewhere its paths were those of a pod or container, and nobody has judged them.
              before: moves ? null : before.adapterConfig,
              granted: agent.grantedPaths,
              by,
            });
      const at = clock.now();
      if (command.grants !== undefined) yield* setGrants(stores, ids, agent, command.grants, at);
      return yield* reconfigure(stores, ids, agent, after, { source: "patch", grantedPaths, by, at });
    });

/** An adapter that calls a URL sends what its variables hold. */
const refusalOfDestination = (
  before: AdapterConfig,
  after: AdapterConfig,
  { adapterConfig }: UpdateAgent["changes"],
) => {
  const addressOf = ({ url }: AdapterConfig) => (typeof url === "string" ? url : null);
  const env = Object.values((before.env ?? {}) as Readonly<Record<string, unknown>>);
  const hasSecret = env.some((value) => (value as { type?: unknown } | null)?.type === "secret_ref");
  const isMoved = hasSecret && addressOf(after) !== null && isElsewhere(addressOf(before), addressOf(after));
  return Result.mapError(
    secretNamedAgain(["adapterConfig", "env"], { isMoved, isNamed: adapterConfig?.env !== undefined }),
    () =>
      new AdapterConfigInvalid(
        { path: ["adapterConfig", "env"] },
        "The new url leads to another host, which would get the stored secrets: name them again in env.",
      ),
  );
};
