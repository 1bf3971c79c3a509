import * as Effect from "effect/Effect";
import type { AdapterProbe } from "../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../ports/adapter-registry.ts";
import type { Runners } from "../../ports/runners.ts";
import type { Transactor } from "../../ports/transactor.ts";
import type { Actor } from "../access/caller.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { AdapterConfig } from "./agent-config.ts";
import { checkAdapter } from "./agent-settings.ts";
import { checkPaths } from "./check-paths.ts";
import { checkRunner } from "./choose-runner.ts";

export interface TestEnvironment {
  readonly companyId: CompanyId;
  readonly adapterType: string;
  readonly adapterConfig: AdapterConfig;
  /** Default: the company's, else the service's usual one. */
  readonly runner?: string | undefined;
  readonly by: Actor;
}

/** Tests an adapter with a configuration, which may name what an agent's configuration of the same author may. */
export const testEnvironment =
  (transactor: Transactor, adapters: AdapterRegistry, runners: Runners, probe: AdapterProbe) =>
  ({ companyId, adapterType, adapterConfig, runner, by }: TestEnvironment) =>
    Effect.gen(function* () {
      yield* checkRunner(runners, runner, ["runner"]);
      const loaded = yield* checkAdapter(adapters, adapterType);
      const granted = yield* transactor.transact((stores) =>
        checkPaths(stores, runners, {
          companyId,
          agentId: null,
          runtimeConfig: runner === undefined ? {} : { runner },
          given: adapterConfig,
          after: adapterConfig,
          before: null,
          granted: [],
          by,
        }),
      );
      return yield* probe.test(loaded, companyId, adapterConfig, granted, runner);
    });
