import * as Cause from "effect/Cause";
import * as Result from "effect/Result";
import { InsufficientScope } from "../../../core/model/access/assistant-rights.ts";
import { assistantScopes } from "../../../core/model/access/assistant-scope.ts";
import type { Refusal } from "../../../core/model/shared/failure.ts";
import type { HttpAnswer, HttpRequest } from "../listener.ts";
import { challengeOf } from "./metadata.ts";
import { issuerFor } from "./oauth-endpoint.ts";

/** Tells a client how it comes by a token, or by more scopes. `cause` is that of a refusal; null: none. */
export const challenged = (
  app: Parameters<typeof issuerFor>[0],
  request: HttpRequest,
  answer: HttpAnswer,
  cause: Cause.Cause<Refusal> | null,
): HttpAnswer => {
  const issuer = issuerFor(app, request);
  const withHeader = (challenge: string): HttpAnswer => ({
    ...answer,
    headers: { ...answer.headers, "www-authenticate": challenge },
  });
  if (answer.status === 401) {
    const error = request.headers.authorization === undefined ? null : "invalid_token";
    return withHeader(challengeOf(issuer, error, assistantScopes));
  }
  const refusal = cause === null ? null : Result.getOrNull(Cause.findError(cause));
  if (!(refusal instanceof InsufficientScope)) return answer;
  const { scope } = refusal.details as { readonly scope: string };
  return withHeader(challengeOf(issuer, refusal.code, [scope]));
};
