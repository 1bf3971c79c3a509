import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import type { Client } from "../model/access/client.ts";
import { methodOfCode, refusalOfCode, SignInCodeUsed } from "../model/access/sign-in-code.ts";
import { beginSession } from "./begin-session.ts";
import { recordRefusedSignIn } from "./record-refused-sign-in.ts";

export interface UseSignInCode {
  readonly code: string;
  readonly client: Client;
}

/** Exchanges the code of a one-time link for a web session. Refuses a second use and records it next to the code. */
export const useSignInCode =
  (context: UseCaseContext, credentials: Credentials) => (command: UseSignInCode) =>
    transactAsSystem(context, "access.useSignInCode", function* (unit) {
      const { client } = command;
      const code = yield* unit.access.lockCode(credentials.hash(command.code));
      const refusal = refusalOfCode(code, unit.at);
      // Does not fail here: the record of a second use must be committed.
      if (code === null) return { refusal: refusal!, session: null };
      const { userId } = code;
      const method = methodOfCode(code.purpose);
      if (refusal !== null) {
        if (refusal instanceof SignInCodeUsed) yield* unit.access.recordCodeReuse(code.id, unit.at);
        yield* recordRefusedSignIn(unit, { userId, method, client, refusal });
        return { refusal, session: null };
      }
      yield* unit.access.recordCodeUse(code.id, unit.at);
      const { sessionName: name, latest } = code;
      return {
        refusal: null,
        session: yield* beginSession(unit, credentials, { userId, method, client, name, latest }),
      };
    }).pipe(
      Effect.flatMap(({ refusal, session }) =>
        session === null ? Effect.fail(refusal) : Effect.succeed(session),
      ),
    );
