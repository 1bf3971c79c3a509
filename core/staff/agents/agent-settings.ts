import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { AdapterRegistry, LoadedAdapter } from "../../../ports/adapter-registry.ts";
import type { Stores } from "../../../ports/transactor.ts";
import type { Actor } from "../../model/access/caller.ts";
import { configProblems } from "../../model/adapters/config-schema.ts";
import { AdapterConfigInvalid, AdapterUnknown, type Agent } from "../../model/agents/agent.ts";
import { refusalOfOther } from "../../model/agents/agent-actions.ts";
import { type AdapterConfig, type AgentConfig, maskedVariables } from "../../model/agents/agent-config.ts";
import { secretsSentElsewhere } from "../../model/agents/destinations.ts";
import { notTerminated } from "../../model/agents/named-agent.ts";
import { closesCircle } from "../../model/shared/circle.ts";
import { NotAllowed, WouldFormACycle } from "../../model/shared/failure.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";

/** Refuses a configuration whose manager does not exist, is terminated or reports to the agent itself. */
export const checkManager = Effect.fnUntraced(function* (
  stores: Stores,
  companyId: CompanyId,
  agentId: AgentId,
  reportsTo: AgentId | null,
) {
  if (reportsTo === null) return;
  const managers = yield* stores.agents.lockChainOfCommand(companyId);
  if (!managers.has(reportsTo)) {
    const named = yield* stores.agents.findInCompany(reportsTo, companyId);
    yield* Effect.fromResult(notTerminated(named, "reportsTo"));
  }
  if (closesCircle(agentId, reportsTo, managers))
    yield* Effect.fail(new WouldFormACycle({ path: ["reportsTo"] }));
});

export const checkAdapter = (
  adapters: AdapterRegistry,
  adapterType: string,
): Effect.Effect<LoadedAdapter, AdapterUnknown> => {
  const loaded = adapters.loaded().get(adapterType);
  if (loaded !== undefined) return Effect.succeed(loaded);
  const types = [...adapters.loaded().keys()];
  const known = adapters.known().find(({ type }) => type === adapterType);
  const why =
    known === undefined
      ? `No adapter of type ${adapterType} is loaded`
      : known.status === "loading"
        ? `The adapter ${adapterType} is still loading; try again in a few seconds`
        : `The adapter ${adapterType} is installed but couldn't be loaded`;
  return Effect.fail(
    new AdapterUnknown({ path: ["adapterType"], loaded: types }, `${why}; loaded are ${types.join(", ")}.`),
  );
};

/**
 * Refuses what the adapter would refuse when a run starts. Values that the agent already has are not checked again: `stored` is
 * its present configuration. An adapter that is not loaded, or has no schema, is not consulted.
 */
export const checkAdapterConfig = (
  adapters: AdapterRegistry,
  given: Pick<AgentConfig, "adapterType" | "adapterConfig">,
  stored: Pick<AgentConfig, "adapterType" | "adapterConfig"> | null,
): Effect.Effect<void, AdapterConfigInvalid> => {
  const schema = adapters.loaded().get(given.adapterType)?.configSchema ?? null;
  if (schema === null) return Effect.void;
  const before: Readonly<Record<string, unknown>> =
    stored?.adapterType === given.adapterType ? stored.adapterConfig : {};
  const changed = Object.entries(given.adapterConfig).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]),
  );
  const [problem] = configProblems(schema, Object.fromEntries(changed));
  if (problem === undefined) return Effect.void;
  const path = ["adapterConfig", ...problem.path];
  return Effect.fail(new AdapterConfigInvalid({ path }, `${path.join(".")} ${problem.rule}.`));
};

/** The service executes nothing that an agent can write: an agent sets only the keys that its adapter allows. */
export const checkOwnSettings = (
  adapters: AdapterRegistry,
  agent: Agent,
  changes: Partial<Record<keyof AgentConfig, unknown>>,
  by: Actor,
): Effect.Effect<void, NotAllowed> => {
  if (by.kind !== "agent") return Effect.void;
  const other = refusalOfOther(agent, by, "Agents can change only themselves.");
  if (other !== null) return Effect.fail(other);
  const settable = adapters.loaded().get(agent.adapterType)?.agentSettableKeys ?? [];
  const asked = Object.keys(changes).flatMap((field) =>
    field === "adapterConfig"
      ? Object.keys(changes.adapterConfig ?? {}).map((key) => `adapterConfig.${key}`)
      : [field],
  );
  const refused = asked.filter((key) => !settable.some((name) => key === `adapterConfig.${name}`));
  return refused.length === 0
    ? Effect.void
    : Effect.fail(new NotAllowed({ fields: refused }, `Only the board can set ${refused.join(", ")}.`));
};

/**
 * Refuses a change that leads an agent to another host with a stored secret that its author has not named: a program sends
 * what its variables hold to the hosts that its settings name. A mask names nothing.
 */
export const refuseSecretsElsewhere = (
  before: AdapterConfig,
  after: AdapterConfig,
  named: { readonly names: readonly string[]; readonly path: readonly string[] },
): Result.Result<void, AdapterConfigInvalid> => {
  const secrets = secretsSentElsewhere(before, after).filter((name) => !named.names.includes(name));
  const field = named.path.at(-1);
  return secrets.length === 0
    ? Result.void
    : Result.fail(
        new AdapterConfigInvalid(
          { path: named.path, secrets },
          `This change would send the stored secrets to another host. Enter them again in ${field} (${secrets.join(", ")}).`,
        ),
      );
};

/** The variables of a request that its author wrote out. */
export const namedVariables = (given: AdapterConfig | undefined): readonly string[] => {
  if (given === undefined) return [];
  const masked = new Set(maskedVariables(given));
  return Object.keys((given.env ?? {}) as Readonly<Record<string, unknown>>).filter(
    (name) => !masked.has(name),
  );
};
