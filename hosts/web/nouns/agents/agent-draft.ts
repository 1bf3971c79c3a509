import { nameSecretsAgain } from "../../../../core/model/agents/destinations.ts";
import type { Client } from "../../../library/client.ts";
import { type GrantsDraft, sentGrants } from "./agent-grants.ts";

type Agent = Awaited<ReturnType<Client["agents"]["get"]>>;
type InputOf<Call extends "create" | "update"> = NonNullable<Parameters<Client["agents"][Call]>[0]>;

import { type EnvironmentRow, environmentOf, isObject } from "./environment.ts";

type Config = Readonly<Record<string, unknown>>;
type Runtime = Agent["runtimeConfig"];

/** The state of an agent's form: the fields of the record, and the environment as rows. */
export interface AgentDraft {
  readonly name: string;
  readonly role: string;
  readonly title: string;
  readonly reportsTo: string | null;
  readonly capabilities: string;
  readonly adapterType: string;
  /** adapterConfig without `env`. */
  readonly config: Config;
  readonly environment: readonly EnvironmentRow[];
  readonly runtime: Runtime;
  readonly budgetMonthlyCents: number;
  readonly metadata: Config | null;
  /** null: as they are. */
  readonly grants: GrantsDraft | null;
}

export const emptyDraft: AgentDraft = {
  name: "",
  role: "engineer",
  title: "",
  reportsTo: null,
  capabilities: "",
  adapterType: "process",
  config: {},
  environment: [],
  runtime: {},
  budgetMonthlyCents: 0,
  metadata: null,
  grants: null,
};

export const draftOf = (agent: Agent): AgentDraft => {
  const { env, ...config } = agent.adapterConfig;
  return {
    name: agent.name,
    role: agent.role,
    title: agent.title ?? "",
    reportsTo: agent.reportsTo,
    capabilities: agent.capabilities ?? "",
    adapterType: agent.adapterType,
    config,
    environment: environmentOf(env),
    runtime: agent.runtimeConfig,
    budgetMonthlyCents: agent.budgetMonthlyCents,
    metadata: agent.metadata,
    grants: null,
  };
};

/** The environment as the interface takes it. The form is not sent with rows without a name or a secret, which have no binding. */
const bindingsOf = (environment: readonly EnvironmentRow[]): Config =>
  Object.fromEntries(
    environment.flatMap(({ name, from, value, secretId, version }): [string, unknown][] => {
      if (name.trim() === "" || (from === "secret" && secretId === null)) return [];
      return [[name.trim(), from === "text" ? value : { type: "secret_ref", secretId, version }]];
    }),
  );

export const adapterConfigOf = ({ config, environment }: AgentDraft): Config => {
  const env = bindingsOf(environment);
  return Object.keys(env).length === 0 ? config : { ...config, env };
};

/** The problem of the first variable that has no binding, or null. */
export const unfinishedVariable = ({ environment }: AgentDraft): string | null => {
  for (const { name, from, secretId } of environment) {
    if (name.trim() === "") return "Give each variable a name, or remove its row.";
    if (from === "secret" && secretId === null) return chooseSecret(name.trim());
  }
  return null;
};

export const chooseSecret = (variable: string): string =>
  `Choose a secret for ${variable}, or remove the row.`;

/** The problem of a name that two variables have, or null. */
export const doubledVariable = ({ environment }: AgentDraft): string | null => {
  const names = environment.map(({ name }) => name.trim()).filter((name) => name !== "");
  const doubled = names.find((name, at) => names.indexOf(name) !== at);
  return doubled === undefined ? null : `${doubled} is set twice. Remove one of the variables.`;
};

/** The part of an agent that has no field of its own, as one edits it as JSON. */
export const jsonOf = (draft: AgentDraft): string =>
  JSON.stringify(
    { adapterConfig: adapterConfigOf(draft), runtimeConfig: draft.runtime, metadata: draft.metadata },
    null,
    2,
  );

/** The draft with what was typed as JSON; null while that is no such object. */
export const withJson = (draft: AgentDraft, text: string): AgentDraft | null => {
  try {
    const { adapterConfig, runtimeConfig = {}, metadata = null } = JSON.parse(text);
    if (!isObject(adapterConfig) || !isObject(runtimeConfig)) return null;
    if (metadata !== null && !isObject(metadata)) return null;
    const { env, ...config } = adapterConfig;
    return { ...draft, config, environment: environmentOf(env), runtime: runtimeConfig, metadata };
  } catch {
    return null;
  }
};

const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text);

const grantsSent = ({ grants }: AgentDraft) => (grants === null ? {} : { grants: sentGrants(grants) });

const fieldsOf = (draft: AgentDraft) => ({
  name: draft.name,
  role: draft.role,
  title: textOrNull(draft.title),
  reportsTo: draft.reportsTo,
  capabilities: textOrNull(draft.capabilities),
  adapterType: draft.adapterType,
  adapterConfig: adapterConfigOf(draft),
  runtimeConfig: draft.runtime,
  budgetMonthlyCents: draft.budgetMonthlyCents,
  metadata: draft.metadata,
});

/** The input of `agents.create`, without what is empty. */
export const newAgentOf = (draft: AgentDraft, companyId: string): InputOf<"create"> =>
  ({
    companyId,
    ...Object.fromEntries(
      Object.entries(fieldsOf(draft)).filter(
        ([, value]) => value !== null && value !== 0 && !(isObject(value) && Object.keys(value).length === 0),
      ),
    ),
    ...grantsSent(draft),
  }) as InputOf<"create">;

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * The patch that turns one object into the other where the service merges them deeply: `null` deletes, and what is equal is left
 * out, so that a change of somebody else stays. A variable of `env` is replaced whole.
 */
export const patchOf = (before: Config, after: Config, isEnvironment = false): Config => ({
  ...Object.fromEntries(Object.keys(before).flatMap((key) => (key in after ? [] : [[key, null]]))),
  ...Object.fromEntries(
    Object.entries(after).flatMap(([key, value]): [string, unknown][] => {
      const had = before[key];
      if (same(had, value)) return [];
      return [
        [
          key,
          isObject(had) && isObject(value) && !isEnvironment ? patchOf(had, value, key === "env") : value,
        ],
      ];
    }),
  ),
});

/** The input of `agents.update`: what differs from the draft that was begun with; null where nothing does. */
export const changesOf = (
  before: AgentDraft,
  after: AgentDraft,
  agentId: string,
): InputOf<"update"> | null => {
  const had = fieldsOf(before);
  const { adapterConfig, runtimeConfig, ...fields } = fieldsOf(after);
  const changed = Object.entries(fields).filter(
    ([key, value]) => !same(value, had[key as keyof typeof fields]),
  );
  const config = nameSecretsAgain(
    patchOf(had.adapterConfig, adapterConfig),
    had.adapterConfig,
    adapterConfig,
  );
  const runtime = patchOf(had.runtimeConfig as Config, runtimeConfig as Config);
  const changes = {
    ...Object.fromEntries(changed),
    ...(Object.keys(config).length === 0 ? {} : { adapterConfig: config }),
    ...(Object.keys(runtime).length === 0 ? {} : { runtimeConfig: runtime }),
    ...grantsSent(after),
  };
  return Object.keys(changes).length === 0 ? null : ({ agentId, ...changes } as InputOf<"update">);
};
