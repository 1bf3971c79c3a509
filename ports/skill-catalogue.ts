import type * as Effect from "effect/Effect";
import type { OfferedSkill } from "./agent-adapter.ts";

/** The skills that this service offers to agents, including the service's own. */
export interface SkillCatalogue {
  read(): Effect.Effect<CatalogueContents>;
}

/** The skills of the catalogue, and its unreadable entries. */
export interface CatalogueContents {
  /** Sorted by key. */
  readonly offered: readonly OfferedSkill[];
  /** A sentence for each unusable entry of the catalogue. */
  readonly problems: readonly string[];
}
