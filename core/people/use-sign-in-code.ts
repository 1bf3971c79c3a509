import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import { refusalOfCode, SignInCodeUsed } from "../model/access/sign-in-code.ts";
import { endsOfSession } from "../model/access/web-session.ts";
import type { TokenId } from "../model/shared/ids.ts";

/** Exchanges the code of a one-time link for a web session. Refuses a second use and records it next to the code. */
export const useSignInCode =
  (context: UseCaseContext, credentials: Credentials) => (command: { readonly code: string }) =>
    transactAsSystem(context, "access.useSignInCode", function* (unit) {
      const code = yield* unit.access.lockCode(credentials.hash(command.code));
      const refusal = refusalOfCode(code, unit.at);
      // Does not fail here: the record of a second use must be committed.
      if (code === null || refusal !== null) {
        if (code !== null && refusal instanceof SignInCodeUsed)
          yield* unit.access.noteCodeReuse(code.id, unit.at);
        return { refusal: refusal!, session: null };
      }
      yield* unit.access.noteCodeUse(code.id, unit.at);
      const session = credentials.mint("ses");
      const id = unit.newId<"token">() as TokenId;
      const ends = endsOfSession(unit.at, code.latest);
      yield* unit.access.insertCredential({
        id,
        userId: code.userId,
        kind: "session",
        name: code.sessionName,
        hash: session.hash,
        createdAt: unit.at,
        ...ends,
      });
      const made = {
        session: session.text,
        csrfToken: credentials.csrfTokenOf(id),
        expiresAt: ends.expiresAt,
      };
      return { refusal: null, session: made };
    }).pipe(
      Effect.flatMap(({ refusal, session }) =>
        session === null ? Effect.fail(refusal) : Effect.succeed(session),
      ),
    );
