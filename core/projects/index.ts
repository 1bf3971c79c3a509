import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { archiveProject } from "./archive-project.ts";
import { createProject } from "./create-project.ts";
import { updateProject } from "./update-project.ts";

/** The use cases of projects. */
export const projects = (transactor: Transactor, clock: Clock) => ({
  create: createProject(transactor, clock),
  update: updateProject(transactor, clock),
  archive: archiveProject(transactor, clock),
});

export type Projects = ReturnType<typeof projects>;
