import type * as Effect from "effect/Effect";
import type { AgentId } from "../core/shared/ids.ts";
import type { OfferedSkill } from "./agent-adapter.ts";

/** What agents of this service may be given to know, the service's own skill among it. */
export interface SkillCatalogue {
  read(): Effect.Effect<CatalogueContents>;
  /** Where an adapter may lay out the skills of an agent. It need not exist; agents cannot write to it. */
  folderOf(agentId: AgentId): string;
}

/** What is on offer, and what could not be read. */
export interface CatalogueContents {
  /** By key. */
  readonly offered: readonly OfferedSkill[];
  /** A sentence for each thing on the catalogue that cannot be used. */
  readonly problems: readonly string[];
}
