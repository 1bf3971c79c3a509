import type * as Effect from "effect/Effect";
import type { AdapterBusy } from "../core/model/adapters/adapter.ts";
import type { RuntimeConfig } from "../core/model/agents/agent-config.ts";
import type { GrantedPath } from "../core/model/agents/named-paths.ts";
import type { AgentId, CompanyId } from "../core/model/shared/ids.ts";
import type { LoadedAdapter } from "./adapter-registry.ts";
import type {
  AdapterModel,
  DetectedModel,
  EnvironmentReport,
  OfferedSkill,
  SkillsSnapshot,
} from "./agent-adapter.ts";

/**
 * Probes adapters in the environment of runs, without an agent. Each question may start programs, so that those of one
 * company are few at once; others are refused. No company waits for another.
 */
export interface AdapterProbe {
  /** Returns discovered models where the adapter finds some, otherwise its static list. */
  models(
    adapter: LoadedAdapter,
    companyId: CompanyId,
    /** The agent program that is meant, where the adapter runs several; null: unnamed. */
    program: string | null,
    /** Whether to discover again although the cached result is fresh. */
    refresh: boolean,
  ): Effect.Effect<readonly AdapterModel[], AdapterBusy>;
  /** Returns the model of agents without a configured one; null where the adapter cannot tell. */
  detectModel(
    adapter: LoadedAdapter,
    companyId: CompanyId,
    program: string | null,
    /** The agent with the home that is read; null: the company's, which on engines is empty. */
    agent: ProbeAgent | null,
  ): Effect.Effect<DetectedModel | null, AdapterBusy>;
  /**
   * Returns an agent's skills as its adapter reports them. The snapshot tells of an adapter that has no skills, throws
   * or does not answer.
   */
  skills(
    adapter: LoadedAdapter,
    agent: ProbeAgent,
    offered: readonly OfferedSkill[],
  ): Effect.Effect<SkillsSnapshot, AdapterBusy>;
  /**
   * The same after a sync with these keys, which are the agent's already: the snapshot also tells where the company asks
   * too much at once.
   */
  syncSkills(
    adapter: LoadedAdapter,
    agent: ProbeAgent,
    offered: readonly OfferedSkill[],
    desired: readonly string[],
  ): Effect.Effect<SkillsSnapshot>;
  /**
   * Tests the environment that a run with this adapterConfig would have. A check lists variables bound to secrets,
   * which are left out. An adapter that throws or does not answer fails the test.
   */
  test(
    adapter: LoadedAdapter,
    companyId: CompanyId,
    tested: TestedConfig,
  ): Effect.Effect<EnvironmentReport, AdapterBusy>;
}

export interface TestedConfig {
  readonly adapterConfig: Readonly<Record<string, unknown>>;
  /** The paths of the service's machine that the caller may show it. */
  readonly grantedPaths: readonly GrantedPath[];
  /** In whose workspace and home it is tested; null: a temporary workspace. */
  readonly agent: ProbeAgent | null;
  /** Default: the agent's, otherwise the company's, otherwise the service's. */
  readonly runner: string | undefined;
}

/** The agent whose settings are tested. */
export interface ProbeAgent {
  readonly runtimeConfig: RuntimeConfig;
  readonly companyRunner: string | null;
  readonly id: AgentId;
  readonly companyId: CompanyId;
  readonly adapterConfig: Readonly<Record<string, unknown>>;
  readonly grantedPaths: readonly GrantedPath[];
}
