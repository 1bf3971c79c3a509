import type { SignInMethod } from "../../../../core/model/access/sign-in.ts";

/** How somebody signed in, as the end of a sentence. */
export const signInLabels: Readonly<Record<SignInMethod, string>> = {
  token: "with a board token",
  link: "with a one-time link",
  invitation: "with an invitation",
  provider: "with single sign-on",
  passkey: "with a passkey",
};
