import * as Effect from "effect/Effect";
import type { AdapterProbe } from "../../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { Runners } from "../../../ports/runners.ts";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { AdapterConfig } from "../../model/agents/agent-config.ts";
import { ReferenceNotFound } from "../../model/shared/failure.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";
import { checkAdapter } from "./agent-settings.ts";
import { checkPaths } from "./check-paths.ts";
import { checkRunner } from "./choose-runner.ts";

export interface TestEnvironment {
  readonly companyId: CompanyId;
  readonly adapterType: string;
  readonly adapterConfig: AdapterConfig;
  /** The agent it is for, whose workspace and grants count; omitted: none yet. */
  readonly agentId?: AgentId | undefined;
  /** Default: the agent's, otherwise the company's, otherwise the service's. */
  readonly runner?: string | undefined;
  readonly by: Actor;
}

/** Tests an adapter with a configuration, which may name what an agent's configuration of the same author may. */
export const testEnvironment =
  (context: UseCaseContext, adapters: AdapterRegistry, runners: Runners, probe: AdapterProbe) =>
  ({ companyId, adapterType, adapterConfig, agentId, runner, by }: TestEnvironment) =>
    Effect.gen(function* () {
      yield* checkRunner(runners, runner, ["runner"]);
      const loaded = yield* checkAdapter(adapters, adapterType);
      const [agent, grantedPaths] = yield* transact(context, "agents.testEnvironment", by, function* (unit) {
        const found = agentId === undefined ? null : yield* unit.agents.findInCompany(agentId, companyId);
        if (agentId !== undefined && found === null)
          return yield* Effect.fail(ReferenceNotFound.at("agentId"));
        const granted = yield* checkPaths(unit, runners, {
          companyId,
          agentId: agentId ?? null,
          runtimeConfig: runner === undefined ? (found?.runtimeConfig ?? {}) : { runner },
          given: adapterConfig,
          after: adapterConfig,
          before: null,
          granted: found?.grantedPaths ?? [],
          by: unit.by,
        });
        return [found, granted] as const;
      });
      return yield* probe.test(loaded, companyId, { adapterConfig, grantedPaths, agent, runner });
    });
