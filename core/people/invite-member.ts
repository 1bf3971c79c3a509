import type { Credentials } from "../../ports/credentials.ts";
import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import type { Role } from "../model/access/roles.ts";
import type { CompanyId, UserId } from "../model/shared/ids.ts";
import { storeSignInCode } from "./store-sign-in-code.ts";

export interface InviteMember {
  /** Of the new board user. */
  readonly id: UserId;
  readonly companyId: CompanyId;
  readonly name: string;
  readonly role: Role;
  /** Under which a sign-in provider may know the person. */
  readonly email?: string | undefined;
  readonly by: Actor;
}

/** A person who is new to the service becomes a member of a company, and gets a link that signs them in once. */
export const inviteMember = (credentials: Credentials) =>
  useCase("access.inviteMember", function* (unit, command: InviteMember) {
    const { id, companyId, name, role, email } = command;
    yield* unit.access.insertUser({ id, name, admin: false, createdAt: unit.at, disabledAt: null });
    yield* unit.access.setRole(companyId, id, role, unit.at);
    if (email !== undefined) yield* unit.identities.invite(id, email.toLowerCase(), unit.at);
    yield* unit.log("member.invited", { companyId, id }, { name, role });
    const code = yield* storeSignInCode(unit, credentials, { userId: id, purpose: "invitation" });
    return { id, name, role, ...code };
  });
