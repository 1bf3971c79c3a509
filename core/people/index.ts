import type { Credentials } from "../../ports/credentials.ts";
import type { IdentityProviders } from "../../ports/identity-providers.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import { beginProviderSignIn } from "./begin-provider-sign-in.ts";
import { createLink } from "./create-link.ts";
import { createSession } from "./create-session.ts";
import { createSignInCode } from "./create-sign-in-code.ts";
import { createToken } from "./create-token.ts";
import { createUser } from "./create-user.ts";
import { deleteSavedView } from "./delete-saved-view.ts";
import { endSession } from "./end-session.ts";
import { endSessions } from "./end-sessions.ts";
import { finishProviderSignIn } from "./finish-provider-sign-in.ts";
import { inviteMember } from "./invite-member.ts";
import { removeMember } from "./remove-member.ts";
import { renameSavedView } from "./rename-saved-view.ts";
import { revokeToken } from "./revoke-token.ts";
import { saveView } from "./save-view.ts";
import { setMember } from "./set-member.ts";
import { signOut } from "./sign-out.ts";
import { updateUser } from "./update-user.ts";
import { useSignInCode } from "./use-sign-in-code.ts";

/** The use cases of users, members, tokens, sessions and saved views. */
export const access = (context: UseCaseContext, credentials: Credentials, providers: IdentityProviders) => ({
  providers: providers.all,
  beginProviderSignIn: beginProviderSignIn(providers, credentials),
  finishProviderSignIn: finishProviderSignIn(context, providers, credentials),
  signOut: signOut(context, providers),
  createUser: createUser(context),
  updateUser: updateUser(context),
  createToken: createToken(credentials)(context),
  revokeToken: revokeToken(context),
  createSession: createSession(credentials)(context),
  endSession: endSession(context),
  endSessions: endSessions(context),
  createLink: createLink(credentials)(context),
  createSignInCode: createSignInCode(credentials)(context),
  useSignInCode: useSignInCode(context, credentials),
  inviteMember: inviteMember(credentials)(context),
  setMember: setMember(context),
  removeMember: removeMember(context),
  saveView: saveView(context),
  renameSavedView: renameSavedView(context),
  deleteSavedView: deleteSavedView(context),
});

export type Access = ReturnType<typeof access>;
