import { useCase } from "../../../access/unit-of-work.ts";
import type { Actor } from "../../../model/access/caller.ts";
import type { IssueId } from "../../../model/shared/ids.ts";
import { type AskedGate, checkedGates } from "../../projects/checked-gates.ts";

export interface SetIssueGates {
  readonly issueId: IssueId;
  readonly by: Actor;
  /** null: those of its project count again. */
  readonly gates: readonly AskedGate[] | null;
}

/** Gives an issue gates of its own, which count in place of those of its project. A done issue stays so. */
export const setIssueGates = useCase("issues.setGates", function* (unit, command: SetIssueGates) {
  const { issueId } = command;
  const issue = yield* unit.issues.lock(issueId);
  const { companyId, identifier } = issue;
  const gates = command.gates === null ? null : yield* checkedGates(unit, issue, command.gates);
  yield* unit.gates.replace(companyId, { issueId }, gates ?? []);
  yield* unit.gates.markOwn(issueId, gates !== null);
  yield* unit.log("issue.gates_set", issue, {
    identifier,
    gates: gates?.map(({ name, kind }) => ({ name, kind })) ?? null,
  });
});
