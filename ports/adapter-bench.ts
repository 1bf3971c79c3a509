import type * as Effect from "effect/Effect";
import type { CompanyId } from "../core/shared/ids.ts";
import type { LoadedAdapter } from "./adapter-registry.ts";
import type { AdapterModel, EnvironmentReport } from "./agent-adapter.ts";

/** Tries adapters out where runs would be carried out, without an agent. */
export interface AdapterBench {
  /** What can be chosen: discovered models where the adapter finds some, else the ones it lists. */
  models(adapter: LoadedAdapter, companyId: CompanyId): Effect.Effect<readonly AdapterModel[]>;
  /**
   * How a run with this adapterConfig would find its surroundings. Variables bound to secrets are left out, which a
   * check says. An adapter that throws or does not answer has failed the test.
   */
  test(
    adapter: LoadedAdapter,
    companyId: CompanyId,
    config: Readonly<Record<string, unknown>>,
  ): Effect.Effect<EnvironmentReport>;
}
