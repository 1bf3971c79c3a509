import { assistantScopes } from "../../../core/model/access/assistant-scope.ts";
import { resourcePath } from "../../../core/model/access/authorization-request.ts";

/** The paths of the authorization server, below the address of the service. The page has the first. */
export const oauthPaths = {
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  keys: "/oauth/keys",
} as const;

const ofResource = "/.well-known/oauth-protected-resource";

/** Describes the tools as a protected resource (RFC 9728). */
const resourceDocument = (issuer: string) => ({
  resource: `${issuer}${resourcePath}`,
  authorization_servers: [issuer],
  scopes_supported: assistantScopes,
  bearer_methods_supported: ["header"],
  resource_name: "Boardroom",
});

/** Describes the authorization server (RFC 8414). */
const serverDocument = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}${oauthPaths.authorize}`,
  token_endpoint: `${issuer}${oauthPaths.token}`,
  registration_endpoint: `${issuer}${oauthPaths.register}`,
  revocation_endpoint: `${issuer}${oauthPaths.revoke}`,
  scopes_supported: assistantScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
});

/**
 * For clients that look only here, as those of a service below a path of a proxy. They require the fields of OpenID; there
 * are no ID tokens, and so no keys.
 */
const openIdDocument = (issuer: string) => ({
  ...serverDocument(issuer),
  jwks_uri: `${issuer}${oauthPaths.keys}`,
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
});

/** The public documents by their paths. A service below a path of a proxy has them with that path at the end, too. */
export const documentsOf = (issuer: string): ReadonlyMap<string, object> => {
  const path = URL.canParse(issuer) ? new URL(issuer).pathname : "/";
  const below = path === "/" ? "" : path;
  const documents = new Map<string, object>([[oauthPaths.keys, { keys: [] }]]);
  for (const end of new Set(["", below])) {
    documents.set(`${ofResource}${end}`, resourceDocument(issuer));
    documents.set(`${ofResource}${end}${resourcePath}`, resourceDocument(issuer));
    documents.set(`/.well-known/oauth-authorization-server${end}`, serverDocument(issuer));
    documents.set(`/.well-known/openid-configuration${end}`, openIdDocument(issuer));
  }
  return documents;
};

/** The challenge to a caller of the tools without a valid token, or without a scope (RFC 6750, RFC 9728). */
export const challengeOf = (issuer: string, error: string | null, scopes: readonly string[]): string =>
  [
    error === null ? "" : `error="${error}"`,
    `scope="${scopes.join(" ")}"`,
    `resource_metadata="${issuer}${ofResource}${resourcePath}"`,
  ]
    .filter((part) => part !== "")
    .join(", ")
    .replace(/^/, "Bearer ");
