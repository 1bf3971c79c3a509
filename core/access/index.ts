import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { ReferenceNotFound } from "../shared/failure.ts";
import type { CompanyId, TokenId, UserId } from "../shared/ids.ts";
import { addSeconds } from "../shared/instant.ts";
import { type BoardUser, LastAdmin, MemberNotFound, sessionNameOf, TokenNotFound } from "./board-user.ts";
import { type Actor, type BoardCaller, Unauthenticated } from "./caller.ts";
import type { Role } from "./roles.ts";

/** How long a web session lasts. */
const sessionSec = 12 * 60 * 60;

const createUser =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly id: UserId; readonly name: string; readonly admin?: boolean | undefined }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const user: BoardUser = {
          id: command.id,
          name: command.name,
          admin: command.admin ?? false,
          createdAt: clock.now(),
          disabledAt: null,
        };
        yield* stores.access.insertUser(user);
        return user;
      }),
    );

/** Changes a user. A disabled one keeps its history and loses every token. */
const updateUser =
  (transactor: Transactor, clock: Clock) =>
  (command: {
    readonly userId: UserId;
    readonly name?: string | undefined;
    readonly admin?: boolean | undefined;
    readonly disabled?: boolean | undefined;
  }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const admins = yield* stores.access.lockAdmins();
        const before = yield* stores.access.lockUser(command.userId);
        const at = clock.now();
        const after: BoardUser = {
          ...before,
          name: command.name ?? before.name,
          admin: command.admin ?? before.admin,
          disabledAt:
            command.disabled === undefined
              ? before.disabledAt
              : command.disabled
                ? (before.disabledAt ?? at)
                : null,
        };
        const isAdmin = after.admin && after.disabledAt === null;
        if (!isAdmin && admins.length === 1 && admins[0] === after.id) yield* Effect.fail(new LastAdmin());
        yield* stores.access.saveUser(after);
        if (after.disabledAt !== null) yield* stores.access.revokeCredentials(after.id, at);
        return after;
      }),
    );

/** Makes a board token. Its text is in this answer and nowhere else. */
const createToken =
  (transactor: Transactor, clock: Clock, credentials: Credentials) =>
  (command: {
    readonly id: TokenId;
    readonly userId: UserId;
    readonly name: string;
    readonly expiresAt?: string | null | undefined;
  }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const user = yield* stores.access
          .lockUser(command.userId)
          .pipe(Effect.mapError(() => ReferenceNotFound.at("userId")));
        if (user.disabledAt !== null) yield* Effect.fail(ReferenceNotFound.at("userId"));
        const { text, hash } = credentials.mint("brd");
        const token = {
          id: command.id,
          userId: user.id,
          name: command.name,
          createdAt: clock.now(),
          expiresAt: command.expiresAt ?? null,
        };
        yield* stores.access.insertCredential({ ...token, kind: "token", hash, csrfHash: null });
        return { ...token, token: text };
      }),
    );

/**
 * Exchanges a board token for a web session: the cookie's text and the CSRF token that its mutations must send. It ends
 * with its token at the latest, and one made in a session with that session.
 */
const createSession =
  (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) => (caller: BoardCaller) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const at = clock.now();
        const parent = yield* stores.access.lockCredential(caller.tokenId, at);
        if (parent === null) return yield* Effect.fail(new Unauthenticated());
        const session = credentials.mint("ses");
        const csrf = credentials.mint("csrf");
        const longest = addSeconds(at, sessionSec);
        const expiresAt =
          parent.expiresAt !== null && parent.expiresAt < longest ? parent.expiresAt : longest;
        yield* stores.access.insertCredential({
          id: ids.next<"token">(),
          userId: caller.userId,
          kind: "session",
          name: parent.kind === "session" ? parent.name : sessionNameOf(caller.tokenId),
          hash: session.hash,
          csrfHash: csrf.hash,
          createdAt: at,
          expiresAt,
        });
        return { session: session.text, csrfToken: csrf.text, expiresAt };
      }),
    );

const revokeToken =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly tokenId: TokenId; readonly by: BoardCaller }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const owner = command.by.admin ? null : command.by.userId;
        if (!(yield* stores.access.revokeCredential(command.tokenId, owner, clock.now())))
          yield* Effect.fail(new TokenNotFound());
        return { ok: true as const };
      }),
    );

const setMember =
  (transactor: Transactor, clock: Clock) =>
  (command: {
    readonly companyId: CompanyId;
    readonly userId: UserId;
    readonly role: Role;
    readonly by: Actor;
  }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { companyId, userId, role, by } = command;
        const user = yield* stores.access.lockUser(userId);
        const at = clock.now();
        yield* stores.access.setRole(companyId, userId, role, at);
        yield* stores.activity.append({
          companyId,
          by,
          at,
          action: "member.set",
          entityId: userId,
          details: { role },
        });
        return { companyId, userId, name: user.name, role };
      }),
    );

const removeMember =
  (transactor: Transactor, clock: Clock) =>
  (command: { readonly companyId: CompanyId; readonly userId: UserId; readonly by: Actor }) =>
    transactor.transact((stores) =>
      Effect.gen(function* () {
        const { companyId, userId, by } = command;
        if (!(yield* stores.access.removeMember(companyId, userId))) yield* Effect.fail(new MemberNotFound());
        yield* stores.activity.append({
          companyId,
          by,
          at: clock.now(),
          action: "member.removed",
          entityId: userId,
          details: {},
        });
        return { ok: true as const };
      }),
    );

/** Everything that can be done about who may call. */
export const access = (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) => ({
  createUser: createUser(transactor, clock),
  updateUser: updateUser(transactor, clock),
  createToken: createToken(transactor, clock, credentials),
  revokeToken: revokeToken(transactor, clock),
  createSession: createSession(transactor, clock, ids, credentials),
  setMember: setMember(transactor, clock),
  removeMember: removeMember(transactor, clock),
});

export type Access = ReturnType<typeof access>;
