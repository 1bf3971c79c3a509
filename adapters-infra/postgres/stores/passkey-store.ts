import * as Effect from "effect/Effect";
import type { Sql } from "postgres";
import { type Passkey, passkeySessionName } from "../../../core/model/access/passkey.ts";
import type { PasskeyId, TokenId, UserId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { PasskeyStore } from "../../../ports/stores/passkey-store.ts";
import type { Statements } from "../transaction.ts";

export const passkeyStore = (tx: Statements): PasskeyStore => ({
  of: (userId) => tx.read(passkeysOf(userId)).pipe(Effect.map((rows) => rows.map(passkeyOf))),
  find: (credentialId) => tx.first(byCredential(credentialId)).pipe(Effect.map(passkeyOrNull)),
  lock: (credentialId) => tx.first(lockByCredential(credentialId)).pipe(Effect.map(passkeyOrNull)),
  insert: (passkey) => tx.write(insertPasskey(passkey)),
  recordUse: (id, counter, at) => tx.write(recordUse(id, counter, at)),
  delete: (id, userId, { except, at }) =>
    tx.first(deletePasskey(id, userId)).pipe(
      Effect.map((deleted) => deleted !== null),
      Effect.tap(() => tx.write(endSessions(userId, passkeySessionName(id), except, at))),
    ),
  useChallenge: (challenge, at, expiresAt) =>
    tx.write(deleteExpired(at)).pipe(
      Effect.andThen(tx.first(useChallenge(challenge, expiresAt))),
      Effect.map((used) => used !== null),
    ),
  recordVerification: (sessionId, at) => tx.write(recordVerification(sessionId, at)),
});

interface PasskeyRow extends Omit<Passkey, "credentialId" | "counter"> {
  readonly credentialId: Uint8Array;
  readonly counter: string | number;
}

const passkeyOf = (row: PasskeyRow): Passkey => ({
  ...row,
  credentialId: Buffer.from(row.credentialId).toString("base64url"),
  counter: Number(row.counter),
});

const passkeyOrNull = (row: PasskeyRow | null): Passkey | null => (row === null ? null : passkeyOf(row));

const bytesOf = (credentialId: string): Uint8Array => Buffer.from(credentialId, "base64url");

const columns = (sql: Sql) =>
  sql`id, user_id, name, credential_id, public_key, counter, last_used_at, created_at`;

const passkeysOf = (userId: UserId) => (sql: Sql) =>
  sql<PasskeyRow[]>`
  select    ${columns(sql)}
  from      passkeys
  where     user_id = ${userId}
  order by  id
`;

const byCredential = (credentialId: string) => (sql: Sql) =>
  sql<PasskeyRow[]>`
  select  ${columns(sql)}
  from    passkeys
  where   credential_id = ${bytesOf(credentialId)}
`;

const lockByCredential = (credentialId: string) => (sql: Sql) =>
  sql<PasskeyRow[]>`
  select  ${columns(sql)}
  from    passkeys
  where   credential_id = ${bytesOf(credentialId)}
  for     no key update
`;

const insertPasskey = (passkey: Passkey) => (sql: Sql) => {
  const { id, userId, name, credentialId, publicKey, counter, createdAt } = passkey;
  return sql`
  insert into passkeys (id, user_id, name, credential_id, public_key, counter, created_at)
  values (${id}, ${userId}, ${name}, ${bytesOf(credentialId)}, ${publicKey}, ${counter}, ${createdAt})
`;
};

const recordUse = (id: PasskeyId, counter: number, at: Instant) => (sql: Sql) =>
  sql`
  update  passkeys
  set     counter      = ${counter},
          last_used_at = ${at}
  where   id = ${id}
`;

const deletePasskey = (id: PasskeyId, userId: UserId) => (sql: Sql) =>
  sql<{ id: PasskeyId }[]>`
  delete from passkeys
  where     id = ${id}
  and       user_id = ${userId}
  returning id
`;

const endSessions = (userId: UserId, name: string, except: TokenId, at: Instant) => (sql: Sql) =>
  sql`
  update  board_tokens
  set     revoked_at = ${at}
  where   user_id = ${userId}
  and     kind = 'session'
  and     name = ${name}
  and     id <> ${except}
  and     revoked_at is null
`;

const deleteExpired = (at: Instant) => (sql: Sql) =>
  sql`
  delete from used_challenges
  where  challenge in (
           select  challenge
           from    used_challenges
           where   expires_at < ${at}
           for     update skip locked
         )
`;

const useChallenge = (challenge: Uint8Array, expiresAt: Instant) => (sql: Sql) =>
  sql<{ challenge: Uint8Array }[]>`
  insert into used_challenges (challenge, expires_at)
  values (${challenge}, ${expiresAt})
  on conflict (challenge) do nothing
  returning challenge
`;

const recordVerification = (sessionId: TokenId, at: Instant) => (sql: Sql) =>
  sql`
  update  board_tokens
  set     verified_at = ${at}
  where   id = ${sessionId}
  and     kind = 'session'
`;
