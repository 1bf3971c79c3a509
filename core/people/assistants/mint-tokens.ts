import * as Effect from "effect/Effect";
import type { Credentials } from "../../../ports/credentials.ts";
import type { UnitOfWork } from "../../access/unit-of-work.ts";
import { type Assistant, accessTokenSec, refreshTokenSec } from "../../model/access/assistant.ts";
import type { AssistantScope } from "../../model/access/assistant-scope.ts";
import { addSeconds } from "../../model/shared/instant.ts";

/** Stores a new pair of tokens; only this result has their texts. `scopes` are those of the access token. */
export const mintTokens = (
  unit: UnitOfWork,
  credentials: Credentials,
  assistant: Assistant,
  scopes: readonly AssistantScope[],
) =>
  Effect.gen(function* () {
    const [access, refresh] = [credentials.mint("oat"), credentials.mint("ort")];
    const common = { assistantId: assistant.id, createdAt: unit.at };
    yield* unit.assistants.insertTokens(
      {
        ...common,
        kind: "access",
        hash: access.hash,
        scopes,
        expiresAt: addSeconds(unit.at, accessTokenSec),
      },
      {
        ...common,
        kind: "refresh",
        hash: refresh.hash,
        scopes: assistant.scopes,
        expiresAt: addSeconds(unit.at, refreshTokenSec),
      },
    );
    return { accessToken: access.text, refreshToken: refresh.text, scopes };
  });

export type MintedTokens = Effect.Success<ReturnType<typeof mintTokens>>;
