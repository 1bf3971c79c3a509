import * as Effect from "effect/Effect";
import { z } from "zod";
import { LastAdmin, MemberNotFound, TokenNotFound, UserNotFound } from "../../../core/access/board-user.ts";
import { Unauthenticated } from "../../../core/access/caller.ts";
import { roles } from "../../../core/access/roles.ts";
import { SignInCodeNotValid, SignInCodeUsed } from "../../../core/access/sign-in-code.ts";
import { NotAllowed, ReferenceNotFound } from "../../../core/shared/failure.ts";
import type { TokenId, UserId } from "../../../core/shared/ids.ts";
import { adminOnly, boardInCompany, boardOnly, byLink } from "../endpoint/access.ts";
import { endpoint, sessionEndpoint } from "../endpoint/endpoint.ts";
import type { ServiceStatus } from "../endpoint/service-status.ts";
import { Done, Name, PointInTime, Timestamp, UserReference } from "../endpoint/values.ts";
import { BoardTokenShape, BoardUserShape, MemberShape, NewBoardTokenShape } from "./board-shapes.ts";

/** Where a link leads: the code stands behind the hash, which reaches no log and no other site. */
const linkOf = (
  service: ServiceStatus,
  { code, expiresAt }: { readonly code: string; readonly expiresAt: string },
) => ({
  url: `${service.address()}/#code=${code}`,
  expiresAt,
});

const LinkShape = z.object({
  url: z.string().describe("Shown this once. It signs in whoever opens it first, and nobody after."),
  expiresAt: Timestamp,
});

export const users = {
  list: endpoint({
    method: "GET",
    path: "/api/board-users",
    summary: "List the board users",
    description: "Oldest first, disabled ones too.",
    access: adminOnly,
    returns: z.array(BoardUserShape).readonly(),
    failures: [],
    run: ({ views }) => views.access.users(),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/board-users",
    summary: "Create a board user",
    description: "Give it a token with `tokens create`, and companies with `members set`.",
    access: adminOnly,
    body: z.strictObject({ name: Name, admin: z.boolean().optional().describe("Instance admin.") }),
    returns: BoardUserShape,
    status: 201,
    failures: [],
    creates: { again: ({ views }, id) => views.access.user(id as UserId).pipe(Effect.orDie) },
    run: ({ access }, input, { newId }) => access.createUser({ ...input, id: newId<UserId>() }),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/board-users/{userId}",
    summary: "Rename, promote, demote, disable or enable a board user",
    description: "A disabled user loses every token. The last admin cannot be disabled or demoted.",
    access: adminOnly,
    body: z.strictObject({
      name: Name.optional(),
      admin: z.boolean().optional(),
      disabled: z.boolean().optional(),
    }),
    returns: BoardUserShape,
    failures: [LastAdmin, UserNotFound],
    run: ({ access }, input) => access.updateUser(input),
  }),
  invite: endpoint({
    method: "POST",
    path: "/api/board-users/{userId}/invitations",
    summary: "Invite a board user to the board page",
    description:
      "Makes a one-time link for 24 hours, and ends the one before it. Whoever opens it is that user: send it the way you would send a password.",
    access: adminOnly,
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
    description: "Your own; an admin may ask for another user's.",
    access: boardOnly,
    query: z.strictObject({ userId: UserReference.optional() }),
    returns: z.array(BoardTokenShape).readonly(),
    failures: [NotAllowed],
    run: ({ views }, { userId }, { caller }) =>
      userId !== undefined && userId !== caller.userId && !caller.admin
        ? Effect.fail(new NotAllowed())
        : views.access.tokens(userId ?? caller.userId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/board-tokens",
    summary: "Make a board token",
    description:
      "For yourself; an admin may make one for another user. The token is shown in this answer and never again.",
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
          return yield* Effect.fail(new NotAllowed());
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
    summary: "Revoke a board token",
    description: "Web sessions exchanged for it end with it.",
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
    failures: [],
    run: ({ views }, { companyId }) => views.access.members(companyId),
  }),
  set: endpoint({
    method: "PUT",
    path: "/api/companies/{companyId}/members/{userId}",
    summary: "Give a board user a role in a company",
    description: "viewer reads; operator works; owner also decides on money, members and the company itself.",
    access: boardInCompany("owner"),
    body: z.strictObject({ role: z.enum(roles) }),
    returns: MemberShape,
    failures: [UserNotFound],
    run: ({ access }, input, { by }) => access.setMember({ ...input, by }),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/companies/{companyId}/members/{userId}",
    summary: "Take a board user's role in a company away",
    description:
      "The user and its tokens stay; what it may do in other companies, too. Even the last owner can be taken away: an instance admin can set another.",
    access: boardInCompany("owner"),
    returns: Done,
    failures: [MemberNotFound],
    run: ({ access }, input, { by }) => access.removeMember({ ...input, by }),
  }),
};

const withSession = <A extends { readonly session: string }>({ session, ...answer }: A) => ({
  session,
  answer,
});

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
    failures: [Unauthenticated],
    run: ({ access }, _, { caller }) => access.createSession(caller).pipe(Effect.map(withSession)),
  }),
  createByCode: sessionEndpoint({
    method: "POST",
    path: "/api/session/code",
    summary: "Exchange the code of a one-time link for a web session",
    description:
      "As `POST /api/session`. Credentials of the request do not count. A code works once: a second use is refused and remembered.",
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
      "For two minutes. The session that it begins ends with the token that made it. `boardroom open` hands it to a browser.",
    access: boardOnly,
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
      "For board users: agents ask `GET /api/agents/me`. `companies` are those you have a role in; an admin may do everything in all others, too.",
    access: boardOnly,
    returns: z.object({
      userId: z.uuid(),
      name: z.string(),
      admin: z.boolean(),
      companies: z.array(z.object({ companyId: z.uuid(), role: z.enum(roles) })).readonly(),
      csrfToken: z
        .string()
        .nullable()
        .describe("What changes by session cookie must carry; null for calls by token."),
    }),
    failures: [],
    run: ({ credentials }, __, { caller }) =>
      Effect.succeed({
        userId: caller.userId,
        name: caller.name,
        admin: caller.admin,
        companies: [...caller.roles].map(([companyId, role]) => ({ companyId, role })),
        csrfToken: caller.session ? credentials.csrfTokenOf(caller.tokenId) : null,
      }),
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
