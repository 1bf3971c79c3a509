import * as Effect from "effect/Effect";
import type { Clock } from "../../ports/clock.ts";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { refusalOfCode, SignInCodeUsed } from "../model/access/sign-in-code.ts";
import { endsOfSession } from "../model/access/web-session.ts";
import type { TokenId } from "../model/shared/ids.ts";

/** Exchanges the code of a one-time link for a web session. Refuses a second use and records it next to the code. */
export const useSignInCode =
  (transactor: Transactor, clock: Clock, ids: Ids, credentials: Credentials) =>
  (command: { readonly code: string }) =>
    transactor
      .transact((stores) =>
        Effect.gen(function* () {
          const at = clock.now();
          const code = yield* stores.access.lockCode(credentials.hash(command.code));
          const refusal = refusalOfCode(code, at);
          // Does not fail here: the record of a second use must be committed.
          if (code === null || refusal !== null) {
            if (code !== null && refusal instanceof SignInCodeUsed)
              yield* stores.access.noteCodeReuse(code.id, at);
            return { refusal: refusal!, session: null };
          }
          yield* stores.access.noteCodeUse(code.id, at);
          const session = credentials.mint("ses");
          const id = ids.next<"token">() as TokenId;
          const ends = endsOfSession(at, code.latest);
          yield* stores.access.insertCredential({
            id,
            userId: code.userId,
            kind: "session",
            name: code.sessionName,
            hash: session.hash,
            createdAt: at,
            ...ends,
          });
          const made = {
            session: session.text,
            csrfToken: credentials.csrfTokenOf(id),
            expiresAt: ends.expiresAt,
          };
          return { refusal: null, session: made };
        }),
      )
      .pipe(
        Effect.flatMap(({ refusal, session }) =>
          session === null ? Effect.fail(refusal) : Effect.succeed(session),
        ),
      );
