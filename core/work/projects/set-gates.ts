import type { Clock } from "../../../ports/clock.ts";
import type { Transactor } from "../../../ports/transactor.ts";
import { logAction } from "../../access/log-action.ts";
import { transact } from "../../access/transact-as.ts";
import type { Actor } from "../../model/access/caller.ts";
import type { ProjectId } from "../../model/shared/ids.ts";
import { type AskedGate, checkedGates } from "./checked-gates.ts";

export interface SetGates {
  readonly projectId: ProjectId;
  readonly by: Actor;
  readonly gates: readonly AskedGate[];
}

/** Replaces the gates of a project. Issues that are done stay so. */
export const setGates = (transactor: Transactor, clock: Clock) => (command: SetGates) =>
  transact(transactor, function* (stores) {
    const { projectId, by } = command;
    const { companyId } = yield* stores.projects.lock(projectId);
    const gates = yield* checkedGates(stores, { companyId, projectId }, command.gates);
    yield* stores.gates.replace(companyId, { projectId }, gates);
    yield* logAction(stores, { companyId, id: projectId }, by, clock.now(), "project.gates_set", {
      gates: gates.map(({ name, kind }) => ({ name, kind })),
    });
    return gates;
  });
