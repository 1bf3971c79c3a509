import * as Effect from "effect/Effect";
import { accessTokenSec } from "../../../core/model/access/assistant.ts";
import { fieldsOf, type RequestFields } from "../../../core/model/access/authorization-request.ts";
import { refusal } from "../../../core/model/shared/failure.ts";
import type { MintedTokens } from "../../../core/people/assistants/mint-tokens.ts";
import type { App } from "../../api/endpoint/app.ts";
import type { BodyReservation } from "../body-memory.ts";
import type { Guesses } from "../guesses.ts";
import type { HttpRequest } from "../listener.ts";
import { readBytes, readJson } from "../read-request.ts";

class RequestInvalid extends refusal("invalid_request", "invalid", "The request isn't valid.") {}

class GrantTypeUnsupported extends refusal(
  "unsupported_grant_type",
  "invalid",
  "grant_type must be authorization_code or refresh_token.",
) {}

const invalid = (message: string) => Effect.fail(new RequestInvalid(undefined, message));

/** A request to the authorization server. */
export interface OauthRequest {
  readonly app: App;
  readonly request: HttpRequest;
  readonly room: BodyReservation;
  readonly address: string | null;
  readonly guesses: Guesses;
}

const readForm = Effect.fnUntraced(function* ({ request, room }: OauthRequest) {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    return yield* invalid("The body must be a form: application/x-www-form-urlencoded.");
  const bytes = yield* readBytes(request, room);
  const fields = fieldsOf(bytes.toString("utf8"));
  return fields ?? (yield* invalid("A parameter occurs twice."));
});

const required = (fields: RequestFields, name: string) => {
  const value = fields.get(name);
  return value === undefined ? invalid(`${name} is required.`) : Effect.succeed(value);
};

/** Registers a client (RFC 7591). */
export const register = Effect.fnUntraced(function* ({ app, request, room }: OauthRequest) {
  const metadata = yield* readJson(request, room);
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    return yield* invalid("The body must be a JSON object.");
  const client = yield* app.assistants.registerClient({ metadata: metadata as Record<string, unknown> });
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(Date.parse(client.createdAt) / 1_000),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
});

const written = ({ accessToken, refreshToken, scopes }: MintedTokens) => ({
  access_token: accessToken,
  token_type: "Bearer",
  expires_in: accessTokenSec,
  refresh_token: refreshToken,
  scope: scopes.join(" "),
});

const exchange = Effect.fnUntraced(function* (
  { app, address, guesses }: OauthRequest,
  fields: RequestFields,
) {
  const code = yield* required(fields, "code");
  const exchanged = app.assistants.exchangeCode({
    code,
    clientId: yield* required(fields, "client_id"),
    redirectUri: fields.get("redirect_uri") ?? null,
    verifier: yield* required(fields, "code_verifier"),
    resource: fields.get("resource") ?? null,
  });
  return written(yield* guesses.tryCredential(address, code, exchanged, ({ refreshToken }) => refreshToken));
});

const refresh = Effect.fnUntraced(function* ({ app, address, guesses }: OauthRequest, fields: RequestFields) {
  const refreshToken = yield* required(fields, "refresh_token");
  const refreshed = app.assistants.refreshTokens({
    refreshToken,
    clientId: yield* required(fields, "client_id"),
    scope: fields.get("scope") ?? null,
    resource: fields.get("resource") ?? null,
  });
  return written(
    yield* guesses.tryCredential(address, refreshToken, refreshed, ({ refreshToken }) => refreshToken),
  );
});

/** Exchanges a code or a refresh token for tokens. */
export const exchangeForTokens = Effect.fnUntraced(function* (asked: OauthRequest) {
  const fields = yield* readForm(asked);
  const type = yield* required(fields, "grant_type");
  if (type === "authorization_code") return yield* exchange(asked, fields);
  if (type === "refresh_token") return yield* refresh(asked, fields);
  return yield* Effect.fail(new GrantTypeUnsupported());
});

/** Revokes a token (RFC 7009). The answer is the same for one that doesn't exist. */
export const revoke = Effect.fnUntraced(function* (asked: OauthRequest) {
  const fields = yield* readForm(asked);
  const token = yield* required(fields, "token");
  yield* asked.app.assistants.revokeToken({ token, clientId: yield* required(fields, "client_id") });
  return {};
});
