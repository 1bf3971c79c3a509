import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { createLink } from "./create-link.ts";
import { createSession } from "./create-session.ts";
import { createSignInCode } from "./create-sign-in-code.ts";
import { createToken } from "./create-token.ts";
import { createUser } from "./create-user.ts";
import { deleteSavedView } from "./delete-saved-view.ts";
import { inviteMember } from "./invite-member.ts";
import { removeMember } from "./remove-member.ts";
import { renameSavedView } from "./rename-saved-view.ts";
import { revokeToken } from "./revoke-token.ts";
import { saveView } from "./save-view.ts";
import { setMember } from "./set-member.ts";
import { updateUser } from "./update-user.ts";
import { useSignInCode } from "./use-sign-in-code.ts";

/** The use cases of users, members, tokens, sessions and saved views. */
export const access = (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) => ({
  createUser: createUser(transactor, clock),
  updateUser: updateUser(transactor, clock),
  createToken: createToken(transactor, clock, credentials),
  revokeToken: revokeToken(transactor, clock),
  createSession: createSession(transactor, clock, ids, credentials),
  createLink: createLink(transactor, clock, ids, credentials),
  createSignInCode: createSignInCode(transactor, clock, ids, credentials),
  useSignInCode: useSignInCode(transactor, clock, ids, credentials),
  inviteMember: inviteMember(transactor, clock, ids, credentials),
  setMember: setMember(transactor, clock),
  removeMember: removeMember(transactor, clock),
  saveView: saveView(transactor, clock, ids),
  renameSavedView: renameSavedView(transactor, clock),
  deleteSavedView: deleteSavedView(transactor),
});

export type Access = ReturnType<typeof access>;
