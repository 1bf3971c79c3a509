import type { Views } from "../../../ports/views.ts";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import { archiveProject } from "./archive-project.ts";
import { createProject } from "./create-project.ts";
import { listGates } from "./list-gates.ts";
import { setGates } from "./set-gates.ts";
import { showProject } from "./show-project.ts";
import { updateProject } from "./update-project.ts";

/** The use cases of projects. */
export const projects = (context: UseCaseContext, views: Views) => ({
  ...showProject(views.planning, context.clock),
  create: createProject(context),
  update: updateProject(context),
  archive: archiveProject(context),
  gates: listGates(context),
  setGates: setGates(context),
});

export type Projects = ReturnType<typeof projects>;
