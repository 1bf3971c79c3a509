import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  LastAdmin,
  MemberNotFound,
  TokenNotFound,
  UserNotFound,
} from "../../../core/model/access/board-user.ts";
import { type BoardCaller, Unauthenticated } from "../../../core/model/access/caller.ts";
import { instanceActions } from "../../../core/model/access/caller-may.ts";
import { roles } from "../../../core/model/access/roles.ts";
import { SignInCodeNotValid, SignInCodeUsed } from "../../../core/model/access/sign-in-code.ts";
import { SessionNeedsToken, sessionLongestSec } from "../../../core/model/access/web-session.ts";
import { NotAllowed, ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { TokenId, UserId } from "../../../core/model/shared/ids.ts";
import { addSeconds } from "../../../core/model/shared/instant.ts";
import {
  acting,
  actingOnInstance,
  boardInCompany,
  boardOnly,
  byLink,
  inCompany,
  open,
} from "../endpoint/access.ts";
import type { App } from "../endpoint/app.ts";
import { CallerMayShape } from "../endpoint/caller-may.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import type { ServiceStatus } from "../endpoint/service-status.ts";
import { sessionEndpoint } from "../endpoint/session-endpoint.ts";
import { Done, Name, PointInTime, Timestamp, UserReference } from "../endpoint/values.ts";
import {
  BoardTokenShape,
  BoardUserShape,
  InvitedMemberShape,
  LinkShape,
  MemberShape,
  NewBoardTokenShape,
  PersonShape,
  WebSessionShape,
} from "./board-shapes.ts";

const onlyForAdmins = "Only instance admins do that for another user.";

/** Builds a link. The code is in the URL's fragment, which browsers send to no server and no log. */
const linkOf = (
  service: ServiceStatus,
  { code, expiresAt }: { readonly code: string; readonly expiresAt: string },
) => ({
  url: `${service.address()}/#code=${code}`,
  expiresAt,
});

export const users = {
  list: endpoint({
    method: "GET",
    path: "/api/board-users",
    summary: "List the board users",
    description: "Oldest first, disabled ones too.",
    access: actingOnInstance("manageUsers"),
    returns: z.array(BoardUserShape).readonly(),
    run: ({ views }) => views.access.users(),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/board-users",
    summary: "Create a board user",
    description: "Give it a token with `tokens create`, and companies with `members set`.",
    access: actingOnInstance("manageUsers"),
    body: z.strictObject({ name: Name, admin: z.boolean().optional().describe("Instance admin.") }),
    returns: BoardUserShape,
    status: 201,
    creates: { again: ({ views }, id) => views.access.user(id as UserId).pipe(Effect.orDie) },
    run: ({ access }, input, { newId }) => access.createUser({ ...input, id: newId<UserId>() }),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/board-users/{userId}",
    summary: "Rename, promote, demote, disable or enable a board user",
    description:
      "A disabled user loses every token. Open issues on which the user can no longer work are released. The last admin cannot be disabled or demoted.",
    access: actingOnInstance("manageUsers"),
    body: z.strictObject({
      name: Name.optional(),
      admin: z.boolean().optional(),
      disabled: z.boolean().optional(),
    }),
    returns: BoardUserShape,
    failures: [LastAdmin, UserNotFound],
    run: ({ access }, input, { by }) => access.updateUser({ ...input, by }),
  }),
  invite: endpoint({
    method: "POST",
    path: "/api/board-users/{userId}/invitations",
    summary: "Invite a board user to the board page",
    description:
      "Makes a one-time link that is valid for 24 hours and replaces the previous one. The person who opens it signs in as that user: send it as you would send a password.",
    access: actingOnInstance("manageUsers"),
    returns: LinkShape,
    status: 201,
    failures: [UserNotFound],
    run: ({ access, service }, { userId }) =>
      access
        .createSignInCode({ userId, purpose: "invitation" })
        .pipe(Effect.map((made) => linkOf(service, made))),
  }),
};

export const tokens = {
  list: endpoint({
    method: "GET",
    path: "/api/board-tokens",
    summary: "List board tokens",
    description: "Lists your own tokens; an admin may list another user's.",
    access: boardOnly,
    query: z.strictObject({ userId: UserReference.optional() }),
    returns: z.array(BoardTokenShape).readonly(),
    failures: [NotAllowed],
    run: ({ views }, { userId }, { caller }) =>
      userId !== undefined && userId !== caller.userId && !caller.admin
        ? Effect.fail(new NotAllowed(undefined, onlyForAdmins))
        : views.access.tokens(userId ?? caller.userId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/board-tokens",
    summary: "Make a board token",
    description:
      "Makes a token for you; an admin may make one for another user. The token is shown only in this answer.",
    access: boardOnly,
    body: z.strictObject({
      name: Name,
      userId: UserReference.optional(),
      expiresAt: PointInTime.nullable().optional(),
    }),
    returns: NewBoardTokenShape,
    status: 201,
    failures: [NotAllowed, ReferenceNotFound],
    creates: { again: ({ views }, id) => views.access.token(id as TokenId), showsSecret: true },
    run: ({ access }, { userId, ...input }, { caller, newId }) =>
      Effect.gen(function* () {
        if (userId !== undefined && userId !== caller.userId && !caller.admin)
          return yield* Effect.fail(new NotAllowed(undefined, onlyForAdmins));
        return yield* access.createToken({
          ...input,
          id: newId<TokenId>(),
          userId: userId ?? caller.userId,
        });
      }),
  }),
  revoke: endpoint({
    method: "DELETE",
    path: "/api/board-tokens/{tokenId}",
    summary: "Revoke a board token, or end a web session",
    description: "With a token, the web sessions that were exchanged for it end, too.",
    access: boardOnly,
    returns: Done,
    failures: [TokenNotFound],
    run: ({ access }, { tokenId }, { caller }) => access.revokeToken({ tokenId, by: caller }),
  }),
};

export const members = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/members",
    summary: "List the board users of a company",
    description:
      "With their roles, by name. Instance admins who have no role of their own in it are left out.",
    access: boardInCompany("viewer"),
    returns: z.array(MemberShape).readonly(),
    run: ({ views }, { companyId }) => views.access.members(companyId),
  }),
  people: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/people",
    summary: "List the people to whom issues of a company can be assigned",
    description: "Operators, owners and instance admins, by name.",
    access: inCompany("viewer"),
    returns: z.array(PersonShape).readonly(),
    run: ({ views }, { companyId }) => views.access.people(companyId),
  }),
  set: endpoint({
    method: "PUT",
    path: "/api/companies/{companyId}/members/{userId}",
    summary: "Give a board user a role in a company",
    description:
      "viewer reads; operator works; owner also decides on money, members and the company itself. Open issues of a person who becomes a viewer are released.",
    access: acting("company", "manageMembers"),
    body: z.strictObject({ role: z.enum(roles) }),
    returns: MemberShape,
    failures: [UserNotFound],
    run: ({ access }, input, { by }) => access.setMember({ ...input, by }),
  }),
  invite: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/members/invitations",
    summary: "Invite somebody new into a company, with a role",
    description:
      "Creates a board user who has that role in this company and no other right, and a one-time link that is valid for 24 hours. The person who opens it signs in as that user: send it as you would send a password. `members set` gives a role to somebody who is a board user already.",
    access: acting("company", "manageMembers"),
    body: z.strictObject({ name: Name, role: z.enum(roles) }),
    returns: InvitedMemberShape,
    status: 201,
    creates: {
      again: ({ views }, id) => views.access.user(id as UserId).pipe(Effect.orDie),
      showsSecret: true,
    },
    run: ({ access, service }, input, { by, newId }) =>
      access.inviteMember({ ...input, id: newId<UserId>(), by }).pipe(
        Effect.map(({ code, expiresAt, ...member }) => ({
          ...member,
          ...linkOf(service, { code, expiresAt }),
        })),
      ),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/companies/{companyId}/members/{userId}",
    summary: "Remove a board user's role in a company",
    description:
      "The user, its tokens and its roles in other companies stay. Its open issues in the company are released. The last owner can be removed, too: an instance admin can set another.",
    access: acting("company", "manageMembers"),
    returns: Done,
    failures: [MemberNotFound],
    run: ({ access }, input, { by }) => access.removeMember({ ...input, by }),
  }),
};

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
  create: sessionEndpoint({
    method: "POST",
    path: "/api/session",
    summary: "Exchange a board token for a web session",
    description:
      "Sends the session as an HttpOnly, SameSite=Strict cookie. It lasts 12 hours from its last use, and seven days at most. Later calls by cookie that change something must send csrfToken as X-CSRF-Token.",
    access: boardOnly,
    returns: z.object({ csrfToken: z.string(), expiresAt: Timestamp }),
    status: 201,
    failures: [Unauthenticated, SessionNeedsToken],
    run: ({ access }, _, { caller }) => access.createSession(caller).pipe(Effect.map(withSession)),
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
    run: ({ access }, input) => access.useSignInCode(input).pipe(Effect.map(withSession)),
  }),
  createLink: endpoint({
    method: "POST",
    path: "/api/session/links",
    summary: "Make a one-time link that signs you in",
    description:
      "The link is valid for two minutes. Its session ends with the token that made the link. `boardroom open` opens it in a browser.",
    access: boardOnly,
    returns: LinkShape,
    status: 201,
    failures: [Unauthenticated, SessionNeedsToken],
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
    description: "Those that can still be used, newest first. `DELETE /api/board-tokens/{tokenId}` ends one.",
    access: boardOnly,
    returns: z.array(WebSessionShape).readonly(),
    run: ({ views, clock }, _, { caller }) =>
      views.access
        .sessions(caller.userId, clock.now())
        .pipe(Effect.map((all) => all.map((each) => ({ ...each, current: each.id === caller.tokenId })))),
  }),
  delete: sessionEndpoint({
    method: "DELETE",
    path: "/api/session",
    summary: "End the web session",
    description: "For calls by cookie. With a token there is no session to end, and the answer is 401.",
    access: boardOnly,
    returns: Done,
    failures: [Unauthenticated],
    run: ({ access }, _, { caller }) =>
      caller.session
        ? access.revokeToken({ tokenId: caller.tokenId, by: caller }).pipe(
            Effect.map((answer) => ({ session: null, answer })),
            Effect.mapError(() => new Unauthenticated()),
          )
        : Effect.fail(new Unauthenticated()),
  }),
};
