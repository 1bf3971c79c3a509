import * as Effect from "effect/Effect";
import { useCase } from "../access/unit-of-work.ts";
import { type BoardUser, LastAdmin } from "../model/access/board-user.ts";
import type { Actor } from "../model/access/caller.ts";
import type { UserId } from "../model/shared/ids.ts";
import { unassignPerson } from "../work/issues/unassign-person.ts";

export interface UpdateUser {
  readonly userId: UserId;
  readonly name?: string | undefined;
  readonly admin?: boolean | undefined;
  readonly disabled?: boolean | undefined;
  readonly by: Actor;
}

/**
 * Changes a user. Disabling one revokes every token; the history stays. Open issues on which they can no longer work are
 * released.
 */
export const updateUser = useCase("access.updateUser", function* (unit, command: UpdateUser) {
  const admins = yield* unit.access.lockAdmins();
  const before = yield* unit.access.lockUser(command.userId);
  const after: BoardUser = {
    ...before,
    name: command.name ?? before.name,
    admin: command.admin ?? before.admin,
    disabledAt:
      command.disabled === undefined
        ? before.disabledAt
        : command.disabled
          ? (before.disabledAt ?? unit.at)
          : null,
  };
  const isAdmin = after.admin && after.disabledAt === null;
  if (!isAdmin && admins.length === 1 && admins[0] === after.id) yield* Effect.fail(new LastAdmin());
  yield* unit.access.saveUser(after);
  if (after.disabledAt !== null) yield* unit.access.revokeCredentials(after.id, unit.at);
  if (!isAdmin) yield* unassignPerson(unit, after.id);
  return after;
});
