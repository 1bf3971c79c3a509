import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import { type SignInPurpose, signInCodeSec } from "../model/access/sign-in-code.ts";
import type { UserId } from "../model/shared/ids.ts";
import { addSeconds } from "../model/shared/instant.ts";

interface Asked {
  readonly userId: UserId;
  readonly purpose: Exclude<SignInPurpose, "open">;
}

/** Stores the code of a one-time link, in place of unused ones of the same purpose. Only this result has its text. */
export const storeSignInCode = (unit: UnitOfWork, credentials: Credentials, { userId, purpose }: Asked) =>
  Effect.gen(function* () {
    const { text, hash } = credentials.mintCode();
    const expiresAt = addSeconds(unit.at, signInCodeSec[purpose]);
    yield* unit.access.revokeCodes(userId, purpose, unit.at);
    const id = unit.newId<"code">();
    const sessionName = `web session of ${purpose} ${id}`;
    yield* unit.access.insertCode({
      id,
      userId,
      purpose,
      hash,
      sessionName,
      latest: null,
      createdAt: unit.at,
      expiresAt,
    });
    return { code: text, expiresAt };
  });
