import type { Clock } from "../../../../ports/clock.ts";
import type { Transactor } from "../../../../ports/transactor.ts";
import { logAction } from "../../../access/log-action.ts";
import { transact } from "../../../access/transact-as.ts";
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
export const setIssueGates = (transactor: Transactor, clock: Clock) => (command: SetIssueGates) =>
  transact(transactor, function* (stores) {
    const { issueId, by } = command;
    const issue = yield* stores.issues.lock(issueId);
    const { companyId, identifier } = issue;
    const gates = command.gates === null ? null : yield* checkedGates(stores, issue, command.gates);
    yield* stores.gates.replace(companyId, { issueId }, gates ?? []);
    yield* stores.gates.markOwn(issueId, gates !== null);
    yield* logAction(stores, { companyId, id: issueId }, by, clock.now(), "issue.gates_set", {
      identifier,
      gates: gates?.map(({ name, kind }) => ({ name, kind })) ?? null,
    });
  });
