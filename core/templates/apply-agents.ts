import * as Effect from "effect/Effect";
import { nameSecretsAgain } from "../model/agents/destinations.ts";
import type { DeclaredAgent, TemplateAgent } from "../model/templates/company-template.ts";
import { declaredConfig } from "../model/templates/template-changes.ts";
import { patchOf, resolvedConfig } from "../model/templates/template-config.ts";
import { createAgent } from "../staff/agents/create-agent.ts";
import { terminateAgent } from "../staff/agents/terminate-agent.ts";
import { updateAgent } from "../staff/agents/update-agent.ts";
import { type Applying, type GrowingIds, idOf } from "./applying.ts";

export const applyAgent = (applying: Applying, agent: DeclaredAgent, before: TemplateAgent | null) =>
  before === null ? hireAgent(applying, agent) : changeAgent(applying, agent, before);

const hireAgent = ({ context, companyId, by, ids }: Applying, agent: DeclaredAgent) => {
  const id = context.ids.newId<"agent">();
  const reportsTo = idOf(ids.agents, agent.reportsTo);
  ids.agents.set(agent.key, id);
  const config = declaredConfig(agent.adapterConfig ?? {}, {}, (key) => ids.secrets.has(key));
  return Effect.asVoid(
    createAgent(context.adapters, context.runners)(context)({
      ...agent,
      id,
      companyId,
      by,
      reportsTo,
      adapterConfig: {
        ...resolvedConfig(config, (key) => ids.secrets.get(key)!),
        ...(agent.instructions == null ? {} : { instructions: agent.instructions }),
        ...((agent.skills ?? []).length === 0 ? {} : { desiredSkills: agent.skills }),
      },
    }),
  );
};

/** A declaration shows its author the addresses and the names of the secrets, and so names them again. */
const changedConfig = (
  { secrets }: GrowingIds,
  declared: DeclaredAgent["adapterConfig"],
  before: TemplateAgent,
) => {
  if (declared === undefined) return {};
  const resolved = (config: TemplateAgent["adapterConfig"]) =>
    resolvedConfig(config, (key) => secrets.get(key)!);
  const after = declaredConfig(declared, before.adapterConfig, (key) => secrets.has(key));
  const patch = resolved(patchOf(before.adapterConfig, after));
  return nameSecretsAgain(patch, resolved(before.adapterConfig), resolved(after));
};

const changeAgent = ({ context, by, ids }: Applying, agent: DeclaredAgent, before: TemplateAgent) => {
  const { instructions, skills, runtimeConfig } = agent;
  const adapterConfig = {
    ...changedConfig(ids, agent.adapterConfig, before),
    ...(instructions === undefined || instructions === before.instructions ? {} : { instructions }),
    ...(skills === undefined ? {} : { desiredSkills: skills.length === 0 ? null : skills }),
  };
  return Effect.asVoid(
    updateAgent(context.adapters, context.runners)(context)({
      agentId: ids.agents.get(agent.key)!,
      by,
      changes: {
        name: agent.name,
        role: agent.role,
        title: agent.title,
        reportsTo: idOf(ids.agents, agent.reportsTo),
        capabilities: agent.capabilities,
        adapterType: agent.adapterType,
        budgetMonthlyCents: agent.budgetMonthlyCents,
        metadata: agent.metadata,
        // A change of its settings judges the paths in it; without a change, none is judged.
        ...(Object.keys(adapterConfig).length === 0 ? {} : { adapterConfig }),
        ...(runtimeConfig === undefined
          ? {}
          : { runtimeConfig: patchOf({ ...before.runtimeConfig }, { ...runtimeConfig }) }),
      },
    }),
  );
};

export const removeAgent = ({ context, by, ids }: Applying, key: string) =>
  terminateAgent(context)({ agentId: ids.agents.get(key)!, by });
