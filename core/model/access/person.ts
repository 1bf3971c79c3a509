import * as Result from "effect/Result";
import { ReferenceNotFound, refusal } from "../shared/failure.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { BoardUser } from "./board-user.ts";
import { atLeast, type Role, roles } from "./roles.ts";

/** A board user with the roles that decide which issues they can be assigned. */
export interface Person extends BoardUser {
  readonly roles: ReadonlyMap<CompanyId, Role>;
}

/** The weakest role that can be given issues: a viewer could not change one. */
const workerRole: Role = "operator";

/** The roles in which a person can be given issues. */
export const workerRoles = roles.filter((role) => atLeast(role, workerRole));

/** Details: `path` of the field that names the person. */
export class UserNotAssignable extends refusal(
  "user_not_assignable",
  "unprocessable",
  "This person isn't an operator or owner of the company, so issues can't be assigned to them.",
) {}

/** Whether the person can work in the company: as an operator, an owner or an instance admin. */
export const mayWorkIn = ({ admin, disabledAt, roles }: Person, companyId: CompanyId): boolean =>
  disabledAt === null && (admin || atLeast(roles.get(companyId) ?? null, workerRole));

/**
 * Whether a caller may give the person a role in a company. Only instance admins see people whose roles are all in other
 * companies; a person without any role can be given one by every owner.
 */
export const mayBeGivenRole = (person: Person, companyId: CompanyId, by: Person | null): boolean =>
  by === null ||
  by.admin ||
  person.roles.has(companyId) ||
  (person.roles.size === 0 && !person.admin) ||
  [...person.roles.keys()].some((id) => by.roles.has(id));

/** Returns the person to whom a request assigns work. People outside the company do not exist for the caller. */
export const assignablePerson = (
  person: Person | null,
  companyId: CompanyId,
  field: string,
): Result.Result<Person, ReferenceNotFound | UserNotAssignable> => {
  if (person === null || person.disabledAt !== null || !(person.admin || person.roles.has(companyId)))
    return Result.fail(ReferenceNotFound.at(field));
  return mayWorkIn(person, companyId)
    ? Result.succeed(person)
    : Result.fail(new UserNotAssignable({ path: [field] }));
};
