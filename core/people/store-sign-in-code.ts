import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Stores } from "../../ports/transactor.ts";
import { type SignInPurpose, signInCodeSec } from "../model/access/sign-in-code.ts";
import type { UserId } from "../model/shared/ids.ts";
import { addSeconds, type Instant } from "../model/shared/instant.ts";

interface Asked {
  readonly userId: UserId;
  readonly purpose: Exclude<SignInPurpose, "open">;
  readonly at: Instant;
}

/** Stores the code of a one-time link, in place of unused ones of the same purpose. Only this result has its text. */
export const storeSignInCode = (
  stores: Stores,
  ids: Ids,
  credentials: Credentials,
  { userId, purpose, at }: Asked,
) =>
  Effect.gen(function* () {
    const { text, hash } = credentials.mintCode();
    const expiresAt = addSeconds(at, signInCodeSec[purpose]);
    yield* stores.access.revokeCodes(userId, purpose, at);
    const id = ids.next<"code">();
    const sessionName = `web session of ${purpose} ${id}`;
    yield* stores.access.insertCode({
      id,
      userId,
      purpose,
      hash,
      sessionName,
      latest: null,
      createdAt: at,
      expiresAt,
    });
    return { code: text, expiresAt };
  });
