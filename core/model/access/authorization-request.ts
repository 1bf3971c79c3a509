import * as Result from "effect/Result";
import { AuthorizationNotValid } from "./assistant.ts";
import { type AssistantScope, assistantScopes } from "./assistant-scope.ts";
import { type ClientMetadata, isRedirectUriOf } from "./client-metadata.ts";

/** A request for authorization, as a client has sent its person to the page with it. */
export type RequestFields = ReadonlyMap<string, string>;

/** An error that the client reads when the person comes back. */
export interface AuthorizationError {
  readonly error: "invalid_request" | "unsupported_response_type" | "invalid_scope" | "invalid_target";
  readonly description: string;
}

export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | null;
  /** The issuer in whose name the request is answered. */
  readonly issuer: string;
}

export interface SoundRequest extends AuthorizationRequest {
  readonly challenge: string;
  readonly scopes: readonly AssistantScope[];
}

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The addresses that mean the same service: on this machine by each of its names, else the one address. */
const issuersOf = (address: string): readonly string[] => {
  if (!URL.canParse(address)) return [];
  const { protocol, hostname, port, pathname } = new URL(address);
  if (protocol !== "http:" || !loopbackNames.has(hostname)) return [address];
  const end = `${port === "" ? "" : `:${port}`}${pathname === "/" ? "" : pathname}`;
  const others = [...loopbackNames].map((name) => `http://${name}${end}`);
  return [address, ...others.filter((each) => each !== address)];
};

/**
 * The address of the service as its caller names it. The name of a request decides only between the names of this machine:
 * any other name could be an attacker's.
 */
export const addressNamed = (address: string, host: string | undefined): string =>
  issuersOf(address).find((each) => host !== undefined && new URL(each).host === host.toLowerCase()) ??
  address;

/** The path of what the tokens of assistants are for. */
export const resourcePath = "/mcp";

/** The address in whose name a resource is ours; null: it is another's. */
export const issuerOfResource = (address: string, resource: string): string | null =>
  issuersOf(address).find((each) => `${each}${resourcePath}` === resource.replace(/\/$/, "")) ?? null;

/** Reads a form or a query. Null where a field occurs twice, which OAuth forbids: two readers could take different ones. */
export const fieldsOf = (text: string): RequestFields | null => {
  const fields = [...new URLSearchParams(text)].filter(([, value]) => value !== "");
  const map = new Map(fields);
  return map.size === fields.length ? map : null;
};

/** The scopes of a request, all if it names none; null: one of them is unknown. */
export const scopesIn = (text: string | undefined): readonly AssistantScope[] | null => {
  // For a refresh token, which every assistant gets.
  const named = (text ?? "").split(" ").filter((each) => each !== "" && each !== "offline_access");
  if (named.length === 0) return assistantScopes;
  const known: readonly string[] = assistantScopes;
  return named.every((each) => known.includes(each))
    ? assistantScopes.filter((each) => named.includes(each))
    : null;
};

/** Checks who asks and where the person goes back to. Until that is known nobody is sent anywhere. */
export const requestOfClient = (
  fields: RequestFields,
  client: ClientMetadata,
  address: string,
): Result.Result<AuthorizationRequest, AuthorizationNotValid> => {
  const redirectUri =
    fields.get("redirect_uri") ?? (client.redirectUris.length === 1 ? client.redirectUris[0]! : "");
  if (!isRedirectUriOf(client, redirectUri))
    return Result.fail(
      new AuthorizationNotValid(
        undefined,
        "The assistant asks to send you to an address that it hasn't registered.",
      ),
    );
  const resource = fields.get("resource");
  const issuer = (resource === undefined ? null : issuerOfResource(address, resource)) ?? address;
  return Result.succeed({
    clientId: fields.get("client_id") ?? "",
    redirectUri,
    state: fields.get("state") ?? null,
    issuer,
  });
};

/** Checks the content of a request. */
export const soundRequest = (
  fields: RequestFields,
  request: AuthorizationRequest,
  address: string,
): Result.Result<SoundRequest, AuthorizationError> => {
  const refused = (error: AuthorizationError["error"], description: string) =>
    Result.fail({ error, description });
  if (fields.get("response_type") !== "code")
    return refused("unsupported_response_type", "response_type must be code.");
  const challenge = fields.get("code_challenge") ?? "";
  // S256 alone: a plain challenge protects from nobody who sees the request.
  if (fields.get("code_challenge_method") !== "S256" || !/^[\w-]{43}$/.test(challenge))
    return refused("invalid_request", "PKCE with code_challenge_method S256 is required.");
  const resource = fields.get("resource");
  if (resource !== undefined && issuerOfResource(address, resource) === null)
    return refused("invalid_target", `resource must be ${request.issuer}${resourcePath}.`);
  const scopes = scopesIn(fields.get("scope"));
  if (scopes === null) return refused("invalid_scope", `The scopes are ${assistantScopes.join(", ")}.`);
  return Result.succeed({ ...request, challenge, scopes });
};

/** The address to which the person goes back, with the answer. */
export const redirectOf = (
  { redirectUri, state, issuer }: AuthorizationRequest,
  answer: Readonly<Record<string, string>>,
): string => {
  const added = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${added}`;
};
