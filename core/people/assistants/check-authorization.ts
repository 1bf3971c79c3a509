import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import type { UseCaseContext } from "../../access/unit-of-work.ts";
import type { AssistantScope } from "../../model/access/assistant-scope.ts";
import { redirectOf } from "../../model/access/authorization-request.ts";
import type { AssistantIo } from "./assistant-io.ts";
import { clientOfRequest } from "./client-of-request.ts";

export interface CheckAuthorization {
  /** As the client has sent its person with it. */
  readonly request: string;
}

/** Tells a person which client asks to act for them, and where Deny leads. */
export const checkAuthorization =
  (context: UseCaseContext, io: AssistantIo) =>
  ({ request: query }: CheckAuthorization) =>
    Effect.gen(function* () {
      const { name, host, site, request, sound } = yield* clientOfRequest(context, io, query);
      const asked = { name, host, site };
      if (Result.isFailure(sound)) {
        const { error, description } = sound.failure;
        const returnUrl = redirectOf(request, { error, error_description: description });
        return { ...asked, scopes: [] as readonly AssistantScope[], problem: description, returnUrl };
      }
      const { scopes } = sound.success;
      return { ...asked, scopes, problem: null, returnUrl: redirectOf(request, { error: "access_denied" }) };
    });
