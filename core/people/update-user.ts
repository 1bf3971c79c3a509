import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import { type BoardUser, LastAdmin } from "../model/access/board-user.ts";
import type { Actor } from "../model/access/caller.ts";
import type { UserId } from "../model/shared/ids.ts";
import { unassignPerson } from "../work/issues/unassign-person.ts";

/**
 * Changes a user. Disabling one revokes every token and keeps its history. Open issues on which they can no longer work
 * are released.
 */
export const updateUser =
  (transactor: Transactor, clock: Clock) =>
  (command: {
    readonly userId: UserId;
    readonly name?: string | undefined;
    readonly admin?: boolean | undefined;
    readonly disabled?: boolean | undefined;
    readonly by: Actor;
  }) =>
    transact(transactor, function* (stores) {
      const admins = yield* stores.access.lockAdmins();
      const before = yield* stores.access.lockUser(command.userId);
      const at = clock.now();
      const after: BoardUser = {
        ...before,
        name: command.name ?? before.name,
        admin: command.admin ?? before.admin,
        disabledAt:
          command.disabled === undefined
            ? before.disabledAt
            : command.disabled
              ? (before.disabledAt ?? at)
              : null,
      };
      const isAdmin = after.admin && after.disabledAt === null;
      if (!isAdmin && admins.length === 1 && admins[0] === after.id) yield* Effect.fail(new LastAdmin());
      yield* stores.access.saveUser(after);
      if (after.disabledAt !== null) yield* stores.access.revokeCredentials(after.id, at);
      if (!isAdmin) yield* unassignPerson(stores, after.id, command.by, at);
      return after;
    });
