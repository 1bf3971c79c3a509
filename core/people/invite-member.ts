import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { logAction } from "../access/log-action.ts";
import { transact } from "../access/transact-as.ts";
import type { Actor } from "../model/access/caller.ts";
import type { Role } from "../model/access/roles.ts";
import type { CompanyId, UserId } from "../model/shared/ids.ts";
import { storeSignInCode } from "./store-sign-in-code.ts";

/** A person who is new to the service becomes a member of a company, and gets a link that signs them in once. */
export const inviteMember =
  (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) =>
  (command: {
    /** Of the new board user. */
    readonly id: UserId;
    readonly companyId: CompanyId;
    readonly name: string;
    readonly role: Role;
    readonly by: Actor;
  }) =>
    transact(transactor, function* (stores) {
      const { id, companyId, name, role, by } = command;
      const at = clock.now();
      yield* stores.access.insertUser({ id, name, admin: false, createdAt: at, disabledAt: null });
      yield* stores.access.setRole(companyId, id, role, at);
      yield* logAction(stores, { companyId, id }, by, at, "member.invited", { name, role });
      const code = yield* storeSignInCode(stores, ids, credentials, {
        userId: id,
        purpose: "invitation",
        at,
      });
      return { id, name, role, ...code };
    });
