import * as Effect from "effect/Effect";
import type { SkillCatalogue } from "../../../ports/skill-catalogue.ts";

/** The skills that agents can be given, without their places on the machine. */
export const offeredSkills = (catalogue: SkillCatalogue) => () =>
  catalogue.read().pipe(
    Effect.map(({ offered, problems }) => ({
      skills: offered.map(({ key, description }) => ({ key, description })),
      problems,
    })),
  );
