import * as Effect from "effect/Effect";
import type { AdapterProbe } from "../../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { CatalogueContents, SkillCatalogue } from "../../../ports/skill-catalogue.ts";
import type { AgentInCompany } from "../../../ports/stores/agent-store.ts";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import { configOf } from "../../model/agents/agent-config.ts";
import { refusal } from "../../model/shared/failure.ts";
import type { AgentId } from "../../model/shared/ids.ts";
import { checkAdapter } from "./agent-settings.ts";
import { applyConfig } from "./apply-config.ts";
import { withProblems } from "./show-skills.ts";

export class SkillUnknown extends refusal("skill_unknown", "unprocessable", "Skill not found.") {}

export class SkillsUnsupported extends refusal(
  "skills_unsupported",
  "unprocessable",
  "This agent's adapter doesn't support skills.",
) {}

export interface SyncSkills {
  readonly agentId: AgentId;
  readonly by: Actor;
  /** The complete list of keys. */
  readonly desiredSkills: readonly string[];
}

/** Sets the agent's skills from its next run on, as a change of its configuration. */
export const syncSkills =
  (context: UseCaseContext, adapters: AdapterRegistry, probe: AdapterProbe, catalogue: SkillCatalogue) =>
  ({ agentId, by, desiredSkills }: SyncSkills) =>
    Effect.gen(function* () {
      const contents = yield* catalogue.read();
      const desired = [...new Set(desiredSkills)];
      yield* checkOffered(contents, desired);
      const { agent, loaded } = yield* transact(context, "agents.syncSkills", by, function* (unit) {
        const before: AgentInCompany = yield* unit.agents.lock(agentId);
        const loaded = yield* checkAdapter(adapters, before.adapterType);
        if (desired.length > 0 && !loaded.supports.has("listSkills"))
          return yield* Effect.fail(new SkillsUnsupported());
        const { desiredSkills: _, ...others } = before.adapterConfig;
        const adapterConfig = desired.length === 0 ? others : { ...others, desiredSkills: desired };
        const after = { ...configOf(before), adapterConfig };
        const change = { source: "patch", skills: desired, grantedPaths: before.grantedPaths } as const;
        return { loaded, agent: yield* applyConfig(unit, before, after, change, unit.agents.save) };
      });
      return withProblems(contents, yield* probe.syncSkills(loaded, agent, contents.offered, desired));
    });

const checkOffered = ({ offered }: CatalogueContents, desired: readonly string[]) => {
  const known = offered.map(({ key }) => key);
  const unknown = desired.filter((key) => !known.includes(key));
  return unknown.length === 0
    ? Effect.void
    : Effect.fail(
        new SkillUnknown(
          { path: ["desiredSkills"], unknown, offered: known },
          `Skill ${unknown.join(", ")} not found. Available: ${known.join(", ")}.`,
        ),
      );
};
