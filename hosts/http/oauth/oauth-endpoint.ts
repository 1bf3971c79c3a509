import * as Effect from "effect/Effect";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";
import { addressNamed } from "../../../core/model/access/authorization-request.ts";
import { type Refusal, refusal } from "../../../core/model/shared/failure.ts";
import { statusOf } from "../../api/endpoint/statuses.ts";
import type { BodyRoom } from "../body-memory.ts";
import { clientOf } from "../client-of.ts";
import type { HttpAnswer, HttpRequest } from "../listener.ts";
import { json, methodNotAllowed } from "../respond.ts";
import { documentsOf, oauthPaths } from "./metadata.ts";
import { exchangeForTokens, type OauthRequest, register, revoke } from "./requests.ts";

class TooManyRegistrations extends refusal(
  "too_many_requests",
  "too_many",
  "Too many registrations from this address. Try again after the time in Retry-After.",
) {}

/** Registrations of one address in an hour. */
export const mostRegistrations = 20;

const isOauthPath = (path: string): boolean => /^\/(oauth|\.well-known)\//.test(path);

/** The authorization server of assistants. One per web server. */
export class Oauth {
  readonly #registrations = new RateLimiterMemory({ points: mostRegistrations, duration: 60 * 60 });
  readonly #bodies: BodyRoom;

  constructor(bodies: BodyRoom) {
    this.#bodies = bodies;
  }

  /** Answers a request; null: it is none to the authorization server. */
  answer(asked: Omit<OauthRequest, "room">): Effect.Effect<HttpAnswer, Refusal> | null {
    const { app, request } = asked;
    const { path } = request;
    if (!isOauthPath(path)) return null;
    const document = documentsOf(issuerFor(app, request)).get(path);
    if (document !== undefined)
      return Effect.succeed(
        request.method === "GET" || request.method === "HEAD"
          ? json(200, document, { "cache-control": "public, max-age=300" })
          : methodNotAllowed(["GET", "HEAD"]),
      );
    if (path === oauthPaths.token) return this.#post(asked, 200, exchangeForTokens);
    if (path === oauthPaths.revoke) return this.#post(asked, 200, revoke);
    if (path !== oauthPaths.register) return null;
    return this.#post(asked, 201, (posted) => Effect.andThen(this.#admit(asked.address), register(posted)));
  }

  #post<A extends object>(
    asked: Omit<OauthRequest, "room">,
    status: number,
    work: (asked: OauthRequest) => Effect.Effect<A, Refusal>,
  ): Effect.Effect<HttpAnswer> {
    if (asked.request.method !== "POST") return Effect.succeed(methodNotAllowed(["POST"]));
    const room = this.#bodies.enter(asked.request.path);
    return work({ ...asked, room }).pipe(
      Effect.map((made) => json(status, made, { pragma: "no-cache" })),
      Effect.catch((failure) => Effect.succeed(oauthRefused(failure))),
      Effect.ensuring(Effect.sync(room.leave)),
    );
  }

  #admit(address: string | null): Effect.Effect<unknown, TooManyRegistrations> {
    const client = address === null ? null : clientOf(address);
    if (client === null) return Effect.void;
    return Effect.tryPromise({
      try: () => this.#registrations.consume(client),
      catch: (refused) =>
        new TooManyRegistrations({
          retryAfterSec: Math.ceil((refused as RateLimiterRes).msBeforeNext / 1_000),
        }),
    });
  }
}

/** A refusal in the form of OAuth: its codes are those of the RFCs where these have one. */
const oauthRefused = ({ code, kind, message, details }: Refusal): HttpAnswer => {
  const waits = (details as { readonly retryAfterSec?: number } | undefined)?.retryAfterSec;
  return json(
    statusOf[kind],
    { error: code, error_description: message },
    { pragma: "no-cache", ...(waits === undefined ? {} : { "retry-after": String(waits) }) },
  );
};

/** The address of the authorization server, as the caller reaches it. */
export const issuerFor = (
  app: { readonly service: { address(): string } },
  { headers }: Pick<HttpRequest, "headers">,
): string => addressNamed(app.service.address(), headers.host);
