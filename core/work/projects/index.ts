import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import type { ProjectId } from "../../model/shared/ids.ts";
import { archiveProject } from "./archive-project.ts";
import { createProject } from "./create-project.ts";
import { setGates } from "./set-gates.ts";
import { updateProject } from "./update-project.ts";

/** The use cases of projects. */
export const projects = (transactor: Transactor, clock: Clock, ids: Ids) => ({
  create: createProject(transactor, clock),
  update: updateProject(transactor, clock, ids),
  archive: archiveProject(transactor, clock),
  gates: ({ projectId }: { readonly projectId: ProjectId }) =>
    transactor.transact(({ gates }) => gates.ofProject(projectId)),
  setGates: setGates(transactor, clock),
});

export type Projects = ReturnType<typeof projects>;
