import { useCase } from "../../access/unit-of-work.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { ProjectId } from "../../model/shared/ids.ts";
import { type AskedGate, checkedGates } from "./checked-gates.ts";

export interface SetGates {
  readonly projectId: ProjectId;
  readonly by: Actor;
  readonly gates: readonly AskedGate[];
}

/** Replaces the gates of a project. Issues that are done stay so. */
export const setGates = useCase("projects.setGates", function* (unit, command: SetGates) {
  const { projectId } = command;
  const { companyId } = yield* unit.projects.lock(projectId);
  const gates = yield* checkedGates(unit, { companyId, projectId }, command.gates);
  yield* unit.gates.replace(companyId, { projectId }, gates);
  yield* unit.log(
    "project.gates_set",
    { companyId, id: projectId },
    { gates: gates.map(({ name, kind }) => ({ name, kind })) },
  );
  return gates;
});
