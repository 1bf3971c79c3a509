import { useCase } from "../access/unit-of-work.ts";
import type { BoardUser } from "../model/access/board-user.ts";
import type { UserId } from "../model/shared/ids.ts";

export interface CreateUser {
  readonly id: UserId;
  readonly name: string;
  readonly admin?: boolean | undefined;
}

export const createUser = useCase("access.createUser", function* (unit, command: CreateUser) {
  const user: BoardUser = {
    id: command.id,
    name: command.name,
    admin: command.admin ?? false,
    createdAt: unit.at,
    disabledAt: null,
  };
  yield* unit.access.insertUser(user);
  return user;
});
