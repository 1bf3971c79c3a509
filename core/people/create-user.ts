import type { Clock } from "../../ports/clock.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { transact } from "../access/transact-as.ts";
import type { BoardUser } from "../model/access/board-user.ts";
import type { UserId } from "../model/shared/ids.ts";

export const createUser =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly id: UserId; readonly name: string; readonly admin?: boolean | undefined }) =>
    transact(transactor, function* (stores) {
      const user: BoardUser = {
        id: command.id,
        name: command.name,
        admin: command.admin ?? false,
        createdAt: clock.now(),
        disabledAt: null,
      };
      yield* stores.access.insertUser(user);
      return user;
    });
