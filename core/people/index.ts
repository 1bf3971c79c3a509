import type { IdentityProviders } from "../../ports/identity-providers.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { BoardTokenPolicy } from "../model/access/board-token-policy.ts";
import { addPasskey } from "./add-passkey.ts";
import { beginPasskeyRegistration } from "./begin-passkey-registration.ts";
import { beginPasskeySignIn } from "./begin-passkey-sign-in.ts";
import { beginProviderSignIn } from "./begin-provider-sign-in.ts";
import { confirmEmail } from "./confirm-email.ts";
import { createFirstToken } from "./create-first-token.ts";
import { createLink } from "./create-link.ts";
import { createSession } from "./create-session.ts";
import { createSignInCode } from "./create-sign-in-code.ts";
import { createToken } from "./create-token.ts";
import { createUser } from "./create-user.ts";
import { deleteSavedView } from "./delete-saved-view.ts";
import type { EmailIo } from "./email-io.ts";
import { endSession } from "./end-session.ts";
import { endSessions } from "./end-sessions.ts";
import { finishProviderSignIn } from "./finish-provider-sign-in.ts";
import { inviteMember } from "./invite-member.ts";
import type { PasskeyIo } from "./passkey-ceremony.ts";
import { passkeyParty } from "./passkey-party.ts";
import { readGroups } from "./read-groups.ts";
import { refuseToken } from "./refuse-token.ts";
import { removeEmail } from "./remove-email.ts";
import { removeMember } from "./remove-member.ts";
import { removePasskey } from "./remove-passkey.ts";
import { renameSavedView } from "./rename-saved-view.ts";
import { revokeToken } from "./revoke-token.ts";
import { saveView } from "./save-view.ts";
import { setEmail } from "./set-email.ts";
import { setMember } from "./set-member.ts";
import { signInByPasskey } from "./sign-in-by-passkey.ts";
import { signOut } from "./sign-out.ts";
import { updateUser } from "./update-user.ts";
import { useSignInCode } from "./use-sign-in-code.ts";
import { verifyByPasskey } from "./verify-by-passkey.ts";

interface PeopleContext extends UseCaseContext, PasskeyIo, EmailIo {
  readonly providers: IdentityProviders;
  readonly cipher: SecretCipher;
  readonly boardTokens: BoardTokenPolicy;
}

/** The use cases of users, members, tokens, sessions and saved views. */
export const access = ({ providers, boardTokens, ...context }: PeopleContext) => ({
  providers: providers.all,
  boardTokens,
  refuseToken: refuseToken(boardTokens),
  passkeyParty: passkeyParty(context.address),
  beginPasskeySignIn: beginPasskeySignIn(context),
  signInByPasskey: signInByPasskey(context, context),
  verifyByPasskey: verifyByPasskey(context, context),
  beginPasskeyRegistration: beginPasskeyRegistration(context, context),
  addPasskey: addPasskey(context, context),
  removePasskey: removePasskey(context),
  beginProviderSignIn: beginProviderSignIn(providers, context.credentials),
  finishProviderSignIn: finishProviderSignIn(context, providers, context),
  readGroups: readGroups(context, providers, context.cipher),
  signOut: signOut(context, providers),
  createUser: createUser(context),
  updateUser: updateUser(context),
  createFirstToken: createFirstToken(context.credentials)(context),
  createToken: createToken(context.credentials, boardTokens)(context),
  revokeToken: revokeToken(context),
  createSession: createSession(context.credentials, boardTokens)(context),
  endSession: endSession(context),
  endSessions: endSessions(context),
  createLink: createLink(context.credentials)(context),
  createSignInCode: createSignInCode(context.credentials)(context),
  useSignInCode: useSignInCode(context, context.credentials),
  sendsEmail: context.mail !== null,
  setEmail: setEmail(context, context),
  confirmEmail: confirmEmail(context.credentials)(context),
  removeEmail: removeEmail(context),
  inviteMember: inviteMember(context.credentials)(context),
  setMember: setMember(context),
  removeMember: removeMember(context),
  saveView: saveView(context),
  renameSavedView: renameSavedView(context),
  deleteSavedView: deleteSavedView(context),
});

export type Access = ReturnType<typeof access>;
