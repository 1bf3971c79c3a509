import * as Effect from "effect/Effect";
import { z } from "zod";
import { BoardTokensNotAllowed } from "../../../core/model/access/board-token-policy.ts";
import { LastAdmin, UserNotFound } from "../../../core/model/access/board-user.ts";
import { type BoardCaller, Unauthenticated } from "../../../core/model/access/caller.ts";
import { instanceActions } from "../../../core/model/access/caller-may.ts";
import { roles } from "../../../core/model/access/roles.ts";
import { mostSignInsShown } from "../../../core/model/access/sign-in.ts";
import { SignInCodeNotValid, SignInCodeUsed } from "../../../core/model/access/sign-in-code.ts";
import {
  SessionNeedsToken,
  SessionNotFound,
  sessionLongestSec,
} from "../../../core/model/access/web-session.ts";
import { addSeconds } from "../../../core/model/shared/instant.ts";
import { BoardUserShape, LinkShape } from "../board/board-shapes.ts";
import { boardOnly, byLink, open, verified } from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { sessionEndpoint } from "../endpoint/session-endpoint.ts";
import { Done, Name, Timestamp } from "../endpoint/values.ts";
import { chatCalls } from "./chat.ts";
import { emailCalls } from "./email.ts";
import { linkOf } from "./link-of.ts";
import { noticeCalls } from "./notices.ts";
import { passkeySignIn } from "./passkeys.ts";
import { providerCalls } from "./providers.ts";
import { SignInShape, WebSessionShape } from "./session-shapes.ts";

const withSession = <A extends { readonly session: string }>({ session, ...answer }: A) => ({
  session,
  answer,
});

const SessionShape = z.object({
  userId: z.uuid(),
  name: z.string(),
  admin: z.boolean(),
  companies: z.array(z.object({ companyId: z.uuid(), role: z.enum(roles) })).readonly(),
  callerMay: CallerMayShape("instance"),
  csrfToken: z
    .string()
    .nullable()
    .describe("Calls by session cookie send it when they change something; null for calls by token."),
  linkReusedAt: Timestamp.nullable().describe(
    "When one of your one-time links was last opened a second time, in the last seven days.",
  ),
});

const sessionOf = ({ credentials, views, clock }: App, caller: BoardCaller) =>
  views.access.lastLinkReuse(caller.userId, addSeconds(clock.now(), -sessionLongestSec)).pipe(
    Effect.map((linkReusedAt) => ({
      userId: caller.userId,
      name: caller.name,
      admin: caller.admin,
      companies: [...caller.roles].map(([companyId, role]) => ({ companyId, role })),
      callerMay: instanceActions(caller),
      csrfToken: caller.session ? credentials.csrfTokenOf(caller.tokenId) : null,
      linkReusedAt,
    })),
  );

/** Web login: a host keeps the session in a cookie. */
export const session = {
  ...providerCalls,
  ...passkeySignIn,
  ...emailCalls,
  ...noticeCalls,
  ...chatCalls,
  create: sessionEndpoint({
    method: "POST",
    path: "/api/session",
    summary: "Exchange a board token for a web session",
    description:
      "Sends the session as an HttpOnly, SameSite=Strict cookie. It lasts 12 hours from its last use, and seven days at most. Later calls by cookie that change something must send csrfToken as X-CSRF-Token.",
    access: boardOnly,
    returns: z.object({ csrfToken: z.string(), expiresAt: Timestamp }),
    status: 201,
    failures: [Unauthenticated, SessionNeedsToken, BoardTokensNotAllowed],
    run: ({ access }, _, { caller, client }) =>
      access.createSession({ caller, client }).pipe(Effect.map(withSession)),
  }),
  createByCode: sessionEndpoint({
    method: "POST",
    path: "/api/session/code",
    summary: "Exchange the code of a one-time link for a web session",
    description:
      "Works as `POST /api/session`. The request's credentials are ignored. A code works once: a second use is refused and recorded.",
    access: byLink,
    body: z.strictObject({ code: z.string().regex(/^[\w-]{43}$/, "must be the code of a link") }),
    returns: z.object({ csrfToken: z.string(), expiresAt: Timestamp }),
    status: 201,
    failures: [SignInCodeNotValid, SignInCodeUsed],
    run: ({ access }, input, { client }) =>
      access.useSignInCode({ ...input, client }).pipe(Effect.map(withSession)),
  }),
  createLink: endpoint({
    method: "POST",
    path: "/api/session/links",
    summary: "Make a one-time link that signs you in",
    description:
      "The link is valid for two minutes. Its session ends with the token that made the link. One that a web session makes, for another device of yours, ends with the same token, and when that session would end at the latest. `boardroom open` opens it in a browser.",
    access: verified(boardOnly),
    returns: LinkShape,
    status: 201,
    failures: [Unauthenticated],
    run: ({ access, service }, _, { caller }) =>
      access.createLink(caller).pipe(Effect.map((made) => linkOf(service, made))),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/session",
    summary: "Show who you are",
    description:
      "For board users: agents call `GET /api/agents/me`. `companies` lists those you have a role in; an admin has full access to all others, too.",
    access: boardOnly,
    returns: SessionShape,
    run: (app, _, { caller }) => sessionOf(app, caller),
  }),
  current: endpoint({
    method: "GET",
    path: "/api/session/current",
    summary: "Show who is signed in, if anybody is",
    description:
      "As `GET /api/session`, and null instead of a refusal for callers without credentials or with a session that is over. Agents get null, too.",
    access: open,
    returns: SessionShape.nullable(),
    run: (app, _, { caller }) => (caller.kind === "board" ? sessionOf(app, caller) : Effect.succeed(null)),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/session",
    summary: "Change your own name",
    access: boardOnly,
    body: z.strictObject({ name: Name }),
    returns: BoardUserShape,
    failures: [LastAdmin, UserNotFound],
    run: ({ access }, { name }, { caller, by }) => access.updateUser({ userId: caller.userId, name, by }),
  }),
  list: endpoint({
    method: "GET",
    path: "/api/sessions",
    summary: "List your web sessions",
    description:
      "Those that can still be used, newest first, with their browser and the address of their last use.",
    access: boardOnly,
    returns: z.array(WebSessionShape).readonly(),
    run: ({ views, clock }, _, { caller }) =>
      views.access
        .sessions(caller.userId, clock.now())
        .pipe(Effect.map((all) => all.map((each) => ({ ...each, current: each.id === caller.tokenId })))),
  }),
  signIns: endpoint({
    method: "GET",
    path: "/api/session/sign-ins",
    summary: "List your last sign-ins",
    description:
      "The last 50 of the last 30 days, newest first, with those that were refused: at most one refusal a minute is recorded.",
    access: boardOnly,
    returns: z.array(SignInShape).readonly(),
    run: ({ views }, _, { caller }) =>
      views.access
        .signIns(caller.userId, mostSignInsShown)
        .pipe(Effect.map((all) => all.map(({ userId: _, ...signIn }) => signIn))),
  }),
  end: endpoint({
    method: "DELETE",
    path: "/api/sessions/{sessionId}",
    summary: "End a web session of yours",
    access: boardOnly,
    returns: Done,
    failures: [SessionNotFound],
    run: ({ access }, input, { caller }) => access.endSession({ ...input, caller }),
  }),
  endAll: endpoint({
    method: "DELETE",
    path: "/api/sessions",
    summary: "End all your web sessions, except that of the call",
    description: "One-time links of yours that nobody has opened yet become invalid, too. Tokens stay valid.",
    access: boardOnly,
    returns: z.object({ ended: z.number().int().describe("How many sessions.") }),
    run: ({ access }, _, { caller }) => access.endSessions({ caller }),
  }),
  delete: sessionEndpoint({
    method: "DELETE",
    path: "/api/session",
    summary: "End the web session",
    description: "For calls by cookie. With a token there is no session to end, and the answer is 401.",
    access: boardOnly,
    returns: Done.extend({
      signOutUrl: z
        .string()
        .nullable()
        .describe("Ends the session at the sign-in provider, too; null: the session did not begin at one."),
    }),
    failures: [Unauthenticated],
    run: ({ access, service }, _, { caller }) =>
      access
        .signOut({ caller, returnUrl: `${service.address()}/` })
        .pipe(Effect.map((answer) => ({ session: null, answer }))),
  }),
};
