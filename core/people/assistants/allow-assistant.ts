import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { transact, type UseCaseContext } from "../../access/unit-of-work.ts";
import {
  AssistantNeedsSession,
  AuthorizationNotValid,
  authorizationCodeSec,
  mostAssistants,
  TooManyAssistants,
} from "../../model/access/assistant.ts";
import { type AssistantScope, assistantScopes } from "../../model/access/assistant-scope.ts";
import { redirectOf } from "../../model/access/authorization-request.ts";
import { actorOf, type BoardCaller } from "../../model/access/caller.ts";
import type { AssistantId } from "../../model/shared/ids.ts";
import { addSeconds } from "../../model/shared/instant.ts";
import type { AssistantIo } from "./assistant-io.ts";
import { clientOfRequest } from "./client-of-request.ts";
import { logOfAssistant } from "./log-of-assistant.ts";

export interface AllowAssistant {
  readonly request: string;
  /** Some of those that the client asks for. */
  readonly scopes: readonly AssistantScope[];
  readonly caller: BoardCaller;
}

/** Lets a client act for the caller. Returns the address at which it gets its code. */
export const allowAssistant =
  (context: UseCaseContext, io: AssistantIo) =>
  ({ request: query, scopes, caller }: AllowAssistant) =>
    Effect.gen(function* () {
      const { userId } = caller;
      if (!caller.session) return yield* Effect.fail(new AssistantNeedsSession());
      const { name, host, sound } = yield* clientOfRequest(context, io, query);
      if (Result.isFailure(sound))
        return yield* Effect.fail(new AuthorizationNotValid(undefined, sound.failure.description));
      const request = sound.success;
      if (!scopes.every((scope) => request.scopes.includes(scope)))
        return yield* Effect.fail(
          new AuthorizationNotValid(
            { path: ["scopes"] },
            "The assistant doesn't ask for all of these scopes.",
          ),
        );
      const code = io.credentials.mintCode();
      yield* transact(context, "access.allowAssistant", actorOf(caller), function* (unit) {
        yield* unit.access.lockUser(userId).pipe(Effect.orDie);
        if ((yield* unit.assistants.count(userId, unit.at)) >= mostAssistants)
          return yield* Effect.fail(new TooManyAssistants());
        const assistant = {
          id: unit.newId<"assistant">() as AssistantId,
          userId,
          clientId: request.clientId,
          name,
          host,
          scopes: assistantScopes.filter((scope) => scopes.includes(scope)),
          createdAt: unit.at,
          lastUsedAt: null,
        };
        yield* unit.assistants.insert(assistant, {
          hash: code.hash,
          challenge: request.challenge,
          redirectUri: request.redirectUri,
          expiresAt: addSeconds(unit.at, authorizationCodeSec),
        });
        yield* logOfAssistant(unit, assistant, "member.assistant_connected", {
          name,
          scopes: assistant.scopes,
        });
      });
      return { redirectUrl: redirectOf(request, { code: code.text }) };
    });
