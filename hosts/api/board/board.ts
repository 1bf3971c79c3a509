import * as Effect from "effect/Effect";
import { z } from "zod";
import { BoardTokensNotAllowed } from "../../../core/model/access/board-token-policy.ts";
import {
  LastAdmin,
  MemberNotFound,
  TokenNotFound,
  UserNotFound,
} from "../../../core/model/access/board-user.ts";
import { roles } from "../../../core/model/access/roles.ts";
import { NotAllowed, ReferenceNotFound } from "../../../core/model/shared/failure.ts";
import type { TokenId, UserId } from "../../../core/model/shared/ids.ts";
import {
  acting,
  actingOnInstance,
  boardInCompany,
  boardOnly,
  inCompany,
  verified,
} from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { Done, Name, PointInTime, UserReference } from "../endpoint/values.ts";
import { linkOf } from "../session/link-of.ts";
import {
  BoardTokenShape,
  BoardUserShape,
  InvitedMemberShape,
  LinkShape,
  MemberShape,
  NewBoardTokenShape,
  PersonShape,
} from "./board-shapes.ts";

const onlyForAdmins = "Only instance admins do that for another user.";

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
    access: verified(actingOnInstance("manageUsers")),
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
    access: verified(actingOnInstance("manageUsers")),
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
    access: verified(actingOnInstance("manageUsers")),
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
      "Makes a token for you; an admin may make one for another user. The token is shown only in this answer. With `SERVICE_BOARD_TOKENS=admins`, only instance admins have tokens.",
    access: verified(boardOnly),
    body: z.strictObject({
      name: Name,
      userId: UserReference.optional(),
      expiresAt: PointInTime.nullable().optional(),
    }),
    returns: NewBoardTokenShape,
    status: 201,
    failures: [NotAllowed, ReferenceNotFound, BoardTokensNotAllowed],
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
    access: verified(acting("company", "manageMembers")),
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
    access: verified(acting("company", "manageMembers")),
    body: z.strictObject({
      name: Name,
      role: z.enum(roles),
      email: z
        .email()
        .max(254)
        .optional()
        .describe("A sign-in provider that has verified it signs this person in, too."),
    }),
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
