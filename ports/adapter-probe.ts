import type * as Effect from "effect/Effect";
import type { AgentId, CompanyId } from "../core/shared/ids.ts";
import type { LoadedAdapter } from "./adapter-registry.ts";
import type {
  AdapterModel,
  DetectedModel,
  EnvironmentReport,
  OfferedSkill,
  SkillsSnapshot,
} from "./agent-adapter.ts";

/** Tries adapters out where runs would be carried out, without an agent. */
export interface AdapterProbe {
  /** What can be chosen: discovered models where the adapter finds some, else the ones it lists. */
  models(
    adapter: LoadedAdapter,
    companyId: CompanyId,
    /** Whether to ask again although what was found is still fresh. */
    refresh: boolean,
  ): Effect.Effect<readonly AdapterModel[]>;
  /** The model that agents without a configured one would have; null where the adapter cannot tell. */
  detectModel(adapter: LoadedAdapter, companyId: CompanyId): Effect.Effect<DetectedModel | null>;
  /**
   * An agent's skills as its adapter sees them, after it has seen to those of `sync` where that is given. An adapter that
   * has no skills, throws or does not answer says so in the snapshot.
   */
  skills(
    adapter: LoadedAdapter,
    agent: ProbeAgent,
    offered: readonly OfferedSkill[],
    sync?: readonly string[],
  ): Effect.Effect<SkillsSnapshot>;
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

/** The agent whose settings are tried. */
export interface ProbeAgent {
  readonly id: AgentId;
  readonly companyId: CompanyId;
  readonly adapterConfig: Readonly<Record<string, unknown>>;
}
