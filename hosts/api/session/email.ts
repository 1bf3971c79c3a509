import * as Effect from "effect/Effect";
import { z } from "zod";
import type { BoardCaller } from "../../../core/model/access/caller.ts";
import {
  EmailConfirmationNotValid,
  EmailNotSent,
  EmailUnavailable,
  TooManyConfirmations,
} from "../../../core/model/access/email-address.ts";
import { boardOnly, byLink, verified } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { EmailShape } from "./session-shapes.ts";

const emailOf = ({ access, views, clock }: App, { userId }: BoardCaller) =>
  views.access
    .email(userId, clock.now())
    .pipe(Effect.map((email) => ({ ...email, available: access.sendsEmail })));

/** The email address of the person who calls, for notices. */
export const emailCalls = {
  showEmail: endpoint({
    method: "GET",
    path: "/api/session/email",
    summary: "Show your email address for notices",
    access: boardOnly,
    returns: EmailShape,
    run: (app, _, { caller }) => emailOf(app, caller),
  }),
  setEmail: endpoint({
    method: "PUT",
    path: "/api/session/email",
    summary: "Set your email address for notices",
    description:
      "Sends a link to the address, which is valid for an hour. Nothing else is sent there until you open it; your address before stays in use until then. At most ten links a day, and five to one address.",
    access: verified(boardOnly),
    body: z.strictObject({ address: z.email().max(254) }),
    returns: EmailShape,
    failures: [EmailUnavailable, EmailNotSent, TooManyConfirmations],
    run: (app, { address }, { caller }) =>
      Effect.andThen(
        app.access.setEmail({ caller, address }),
        Effect.suspend(() => emailOf(app, caller)),
      ),
  }),
  removeEmail: endpoint({
    method: "DELETE",
    path: "/api/session/email",
    summary: "Remove your email address for notices",
    description: "You get no more email, even where a sign-in provider knows your address.",
    access: verified(boardOnly),
    returns: EmailShape,
    run: (app, _, { caller }) =>
      Effect.andThen(
        app.access.removeEmail(caller),
        Effect.suspend(() => emailOf(app, caller)),
      ),
  }),
  confirmEmail: endpoint({
    method: "POST",
    path: "/api/session/email/confirm",
    summary: "Confirm an email address by the code of a link",
    description: "The request's credentials are ignored. A code works once.",
    access: byLink,
    body: z.strictObject({ code: z.string().regex(/^[\w-]{43}$/, "must be the code of a link") }),
    returns: z.object({ address: z.string() }),
    failures: [EmailConfirmationNotValid],
    run: ({ access }, { code }) => access.confirmEmail(code),
  }),
};
