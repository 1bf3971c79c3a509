import type * as Effect from "effect/Effect";
import type { AgentId } from "../core/shared/ids.ts";
import type { OfferedSkill } from "./agent-adapter.ts";

/** What agents of this service may be given to know, the service's own skill among it. */
export interface SkillShelf {
  read(): Effect.Effect<ShelfContents>;
  /** Where an adapter may lay out the skills of an agent. It need not exist; agents cannot write to it. */
  folderOf(agentId: AgentId): string;
}

/** What is on offer, and what could not be read. */
export interface ShelfContents {
  /** By key. */
  readonly offered: readonly OfferedSkill[];
  /** A sentence for each thing on the shelf that cannot be used. */
  readonly problems: readonly string[];
}
