import * as Effect from "effect/Effect";
import type { SkillCatalogue } from "../../ports/skill-catalogue.ts";

/** The keys of the available skills. */
export const offeredSkills = (catalogue: SkillCatalogue): Effect.Effect<ReadonlySet<string>> =>
  Effect.map(catalogue.read(), ({ offered }) => new Set(offered.map(({ key }) => key)));
