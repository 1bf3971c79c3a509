import { timingSafeEqual } from "node:crypto";
import * as Effect from "effect/Effect";
import { resourcePath } from "../../core/model/access/authorization-request.ts";
import type { BoardTokensNotAllowed } from "../../core/model/access/board-token-policy.ts";
import {
  type AgentCaller,
  anyone,
  type Caller,
  type CredentialRefusal,
  RequestIdMalformed,
  RunEnded,
  RunIdMismatch,
  RunNotYours,
  Unauthenticated,
} from "../../core/model/access/caller.ts";
import { refusal } from "../../core/model/shared/failure.ts";
import { isUuid, type RunId } from "../../core/model/shared/ids.ts";
import type { App } from "../api/endpoint/app.ts";
import type { HttpRequest } from "./listener.ts";
import { sessionIn } from "./session-cookie.ts";

export class CsrfTokenInvalid extends refusal(
  "csrf_token_invalid",
  "forbidden",
  "Changes with a session cookie need the session's CSRF token in X-CSRF-Token.",
) {}

/** Names a caller where requests are counted. */
export const nameOf = (caller: Caller): string =>
  caller.kind === "agent" ? caller.agentId : caller.kind === "board" ? caller.userId : "anyone";

const requestIdPattern = /^[\w.-]{1,64}$/;

/** Identifies the caller, and notes the id that it has given the request. */
export const identify = (
  app: App,
  request: HttpRequest,
  address: string | null = null,
): Effect.Effect<
  Caller,
  CredentialRefusal | BoardTokensNotAllowed | CsrfTokenInvalid | RequestIdMalformed
> => {
  const requestId = request.headers["x-service-request-id"];
  if (requestId === undefined) return byCredential(app, request, address);
  if (!requestIdPattern.test(requestId)) return Effect.fail(new RequestIdMalformed());
  return byCredential(app, request, address).pipe(
    Effect.map((caller) => (caller.kind === "anyone" ? caller : { ...caller, requestId })),
  );
};

/** Identifies the caller by bearer token, else by session cookie, else as anonymous. Refuses an invalid token. */
const byCredential = (
  app: App,
  request: HttpRequest,
  address: string | null,
): Effect.Effect<Caller, CredentialRefusal | BoardTokensNotAllowed | CsrfTokenInvalid> => {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
    return token === undefined ? Effect.fail(new Unauthenticated()) : byBearer(app, token, request);
  }
  const session = cookie === undefined ? null : sessionIn(app, cookie);
  return session === null ? Effect.succeed(anyone) : bySession(app, session, request, address);
};

const byBearer = (
  app: App,
  token: string,
  request: HttpRequest,
): Effect.Effect<Caller, CredentialRefusal | BoardTokensNotAllowed> => {
  if (token.startsWith("oat_")) return byAssistant(app, token, request);
  if (token.startsWith("brd_"))
    return app.views.access.boardByHash(app.credentials.hash(token), "token", app.clock.now()).pipe(
      Effect.flatMap((found): Effect.Effect<Caller, Unauthenticated | BoardTokensNotAllowed> => {
        const refusal = found === null ? new Unauthenticated() : app.access.refuseToken(found);
        return refusal === null ? Effect.succeed(found!) : Effect.fail(refusal);
      }),
    );
  return token.startsWith("agt_") ? byAgentKey(app, token, request) : byRunToken(app, token, request);
};

/** Identifies a person by the token of an assistant, which is good for the tools of /mcp alone. */
const byAssistant = Effect.fnUntraced(function* (app: App, token: string, request: HttpRequest) {
  const isForTools = request.path === resourcePath || request.isOfTool === true;
  const found = isForTools
    ? yield* app.views.access.assistantByHash(app.credentials.hash(token), app.clock.now())
    : null;
  return found ?? (yield* Effect.fail(new Unauthenticated()));
});

/** Identifies an agent by its key. It acts in a run only if the header names a live run of that agent. */
const byAgentKey = Effect.fnUntraced(function* (app: App, key: string, request: HttpRequest) {
  const named = request.headers["x-service-run-id"]?.toLowerCase();
  if (named !== undefined && !isUuid(named)) return yield* Effect.fail(new RunNotYours());
  const runId = (named ?? null) as RunId | null;
  const found = yield* app.views.access.agentByKeyHash(app.credentials.hash(key), runId, app.clock.now());
  if (found === null) return yield* Effect.fail(new Unauthenticated());
  if (runId !== null && !found.runIsLive) return yield* Effect.fail(new RunNotYours());
  return found.caller satisfies AgentCaller;
});

/** Identifies an agent by a run token, which is valid exactly while its run is live, regardless of its own expiry. */
const byRunToken = Effect.fnUntraced(function* (app: App, token: string, request: HttpRequest) {
  const claims = yield* app.credentials.readRunToken(token);
  if (claims === null) return yield* Effect.fail(new Unauthenticated());
  const named = request.headers["x-service-run-id"];
  const found = yield* app.views.access.agentByRun(claims.agentId, claims.runId);
  if (found === null) return yield* Effect.fail(new Unauthenticated());
  if (!found.runIsLive) return yield* Effect.fail(new RunEnded());
  if (named !== undefined && named.toLowerCase() !== claims.runId)
    return yield* Effect.fail(new RunIdMismatch({ claimRunId: claims.runId, headerRunId: named }));
  return found.caller satisfies AgentCaller;
});

/** Identifies by session cookie. Browsers keep sending the cookie of a session that has ended: it is not a credential then. */
const bySession = Effect.fnUntraced(function* (
  app: App,
  session: string,
  request: HttpRequest,
  address: string | null,
) {
  const found = yield* app.views.access.boardByHash(
    app.credentials.hash(session),
    "session",
    app.clock.now(),
    address,
  );
  if (found === null) return anyone;
  if (request.method !== "GET" && request.method !== "HEAD") {
    const { hash, csrfTokenOf } = app.credentials;
    if (!timingSafeEqual(hash(request.headers["x-csrf-token"] ?? ""), hash(csrfTokenOf(found.tokenId))))
      return yield* Effect.fail(new CsrfTokenInvalid());
  }
  return found;
});
