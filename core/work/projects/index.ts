import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { archiveProject } from "./archive-project.ts";
import { createProject } from "./create-project.ts";
import { listGates } from "./list-gates.ts";
import { setGates } from "./set-gates.ts";
import { updateProject } from "./update-project.ts";

/** The use cases of projects. */
export const projects = (transactor: Transactor, clock: Clock, ids: Ids) => ({
  create: createProject(transactor, clock),
  update: updateProject(transactor, clock, ids),
  archive: archiveProject(transactor, clock),
  gates: listGates(transactor),
  setGates: setGates(transactor, clock),
});

export type Projects = ReturnType<typeof projects>;
