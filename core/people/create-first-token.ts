import type { Credentials } from "../../ports/credentials.ts";
import { type UnitOfWork, useCase } from "../access/unit-of-work.ts";
import type { BoardUser } from "../model/access/board-user.ts";
import type { TokenId, UserId } from "../model/shared/ids.ts";
import { insertToken } from "./insert-token.ts";

/**
 * Creates a token of an instance admin, and the first board user where nobody is one yet: the person who owns the data
 * directory. Only this answer contains its text.
 */
export const createFirstToken = (credentials: Credentials) =>
  useCase("access.createFirstToken", function* (unit, { name }: { readonly name: string }) {
    // Another service that starts on the same database may have made the user.
    const [admin] = yield* unit.access.lockAdmins();
    const userId = admin ?? (yield* insertFirstUser(unit));
    return yield* insertToken(unit, credentials, { id: unit.newId<"token">() as TokenId, userId, name });
  });

const insertFirstUser = function* (unit: UnitOfWork) {
  const user: BoardUser = {
    id: unit.newId<"user">() as UserId,
    name: "board",
    admin: true,
    createdAt: unit.at,
    disabledAt: null,
  };
  yield* unit.access.insertUser(user);
  return user.id;
};
