import * as Result from "effect/Result";
import { refusal } from "../shared/failure.ts";

/** The description that a client of OAuth gives of itself. */
export interface ClientMetadata {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export class ClientMetadataInvalid extends refusal(
  "invalid_client_metadata",
  "invalid",
  "The client metadata isn't valid.",
) {}

export class RedirectUriInvalid extends refusal(
  "invalid_redirect_uri",
  "invalid",
  "A redirect URI isn't valid.",
) {}

const mostRedirectUris = 20;
const mostUriLength = 2_000;
const mostNameLength = 100;

/** Schemes of apps that aren't named after a domain, as RFC 8252 asks for. */
const appSchemes = new Set(["cursor:", "vscode:", "vscode-insiders:"]);

const loopbackHosts = new Set(["127.0.0.1", "[::1]", "localhost"]);

const isLoopbackUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && loopbackHosts.has(hostname);

/**
 * Returns why nobody is sent to an address, or null. Sent to are sites by https, programs on the person's own machine, and
 * apps by a scheme of their own: a scheme of the browser or the system would run something else.
 */
const problemOfRedirectUri = (text: string): string | null => {
  if (text.length > mostUriLength) return `must have at most ${mostUriLength} characters.`;
  if (!URL.canParse(text) || /[\u0000-\u0020\u007f\\]/.test(text)) return "must be an absolute URI.";
  const url = new URL(text);
  if (text.includes("#")) return "must have no fragment.";
  if (url.username !== "" || url.password !== "") return "must have no user name or password.";
  if (url.protocol === "https:" || isLoopbackUrl(url)) return null;
  const isApp = appSchemes.has(url.protocol) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(url.protocol);
  return isApp ? null : "must be https, http on this machine, or a scheme named after a domain.";
};

/** Registered addresses of programs on the person's own machine fit with any port: the system gives them one. */
const withoutPort = (text: string): string | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!isLoopbackUrl(url)) return null;
  const port = /^(http:\/\/(?:\[::1\]|[^/:?#]+))(?::\d+)?(.*)$/i.exec(text);
  return port === null ? null : `${port[1]!.toLowerCase()}${port[2]}`;
};

/** Whether an address is one of the client's: the same text, for a loopback address except for its port. */
export const isRedirectUriOf = ({ redirectUris }: ClientMetadata, given: string): boolean =>
  problemOfRedirectUri(given) === null &&
  (redirectUris.includes(given) ||
    (withoutPort(given) !== null && redirectUris.some((each) => withoutPort(each) === withoutPort(given))));

/** Where an address leads, as people recognise it: a host, or the scheme of an app. */
export const destinationOf = (redirectUri: string): string => {
  const { protocol, host } = new URL(redirectUri);
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1);
};

/** Names without what could pass for the page's own text or change the direction of it. */
const plainName = (name: string): string =>
  name
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, mostNameLength);

const strings = (value: unknown): readonly string[] | null =>
  Array.isArray(value) && value.every((each) => typeof each === "string") ? value : null;

/** Reads what a client says of itself, in a registration or a document. All are public: how it would authenticate counts for nothing. */
export const clientMetadataOf = (
  given: Readonly<Record<string, unknown>>,
): Result.Result<ClientMetadata, ClientMetadataInvalid | RedirectUriInvalid> => {
  const {
    redirect_uris,
    client_name = "",
    grant_types = ["authorization_code"],
    response_types = ["code"],
  } = given;
  const refused = (message: string) => Result.fail(new ClientMetadataInvalid(undefined, message));
  const redirectUris = strings(redirect_uris);
  if (redirectUris === null || redirectUris.length === 0 || redirectUris.length > mostRedirectUris)
    return Result.fail(
      new RedirectUriInvalid(undefined, `redirect_uris: needs 1 to ${mostRedirectUris} addresses.`),
    );
  for (const uri of redirectUris) {
    const problem = problemOfRedirectUri(uri);
    if (problem !== null)
      return Result.fail(new RedirectUriInvalid(undefined, `redirect_uris: ${uri.slice(0, 200)} ${problem}`));
  }
  if (typeof client_name !== "string") return refused("client_name: must be text.");
  if (strings(grant_types)?.includes("authorization_code") !== true)
    return refused('grant_types: must have "authorization_code".');
  if (strings(response_types)?.includes("code") !== true) return refused('response_types: must have "code".');
  return Result.succeed({ name: plainName(client_name), redirectUris });
};

/** Whether a client id is the address of a document of the client. */
export const isDocumentAddress = (clientId: string): boolean => {
  if (clientId.length > mostUriLength || !clientId.startsWith("https://") || !URL.canParse(clientId))
    return false;
  const { username, password, pathname, href } = new URL(clientId);
  // Compared as text: only an address that stays the same when it is parsed.
  return (
    username === "" && password === "" && pathname !== "/" && !clientId.includes("#") && href === clientId
  );
};

/** Reads the document at a client id. It must name that address, and can't have a secret, which everybody would read. */
export const documentOf = (
  clientId: string,
  document: Readonly<Record<string, unknown>>,
): Result.Result<ClientMetadata, ClientMetadataInvalid | RedirectUriInvalid> => {
  const refused = (message: string) => Result.fail(new ClientMetadataInvalid(undefined, message));
  if (document.client_id !== clientId) return refused("client_id: isn't the address of the document.");
  const method = document.token_endpoint_auth_method ?? "none";
  if ("client_secret" in document || (typeof method === "string" && method.startsWith("client_secret")))
    return refused("client_secret: a public document can't have a secret.");
  return clientMetadataOf(document);
};
