import * as Effect from "effect/Effect";
import type { AdapterProbe } from "../../../ports/adapter-probe.ts";
import type { AdapterRegistry } from "../../../ports/adapter-registry.ts";
import type { SkillsSnapshot } from "../../../ports/agent-adapter.ts";
import type { CatalogueContents, SkillCatalogue } from "../../../ports/skill-catalogue.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { AgentNotFound } from "../../model/agents/agent.ts";
import type { AgentId, CompanyId } from "../../model/shared/ids.ts";
import { checkAdapter } from "./agent-settings.ts";

export interface ShowSkills {
  readonly agentId: AgentId;
  readonly companyId: CompanyId;
}

/** The skills of an agent as its adapter sees them. */
export const showSkills =
  (context: UseCaseContext, adapters: AdapterRegistry, probe: AdapterProbe, catalogue: SkillCatalogue) =>
  ({ agentId, companyId }: ShowSkills) =>
    Effect.gen(function* () {
      const agent = yield* context.transactor.transact(({ agents }) =>
        agents.findInCompany(agentId, companyId),
      );
      if (agent === null) return yield* Effect.fail(new AgentNotFound());
      const loaded = yield* checkAdapter(adapters, agent.adapterType);
      const contents = yield* catalogue.read();
      return withProblems(contents, yield* probe.skills(loaded, agent, contents.offered));
    });

/** Adds the problems of the catalogue to the warnings of the adapter. */
export const withProblems = ({ problems }: CatalogueContents, snapshot: SkillsSnapshot): SkillsSnapshot =>
  snapshot.supported ? { ...snapshot, warnings: [...problems, ...snapshot.warnings] } : snapshot;
