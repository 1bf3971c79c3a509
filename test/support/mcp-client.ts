import { randomUUID } from "node:crypto";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

type Stored = Parameters<NonNullable<OAuthClientProvider["saveClientInformation"]>>[0];
type Found = Parameters<NonNullable<OAuthClientProvider["saveDiscoveryState"]>>[0];
type Tokens = Parameters<OAuthClientProvider["saveTokens"]>[0];

export interface AssistantOptions {
  readonly redirectUrl: string;
  /** Asks for these; default: those that the service names. */
  readonly scope?: string;
  /** The address of the client's document, which takes the place of a registration. */
  readonly clientMetadataUrl?: string;
  /** Opens the page, and resolves with the address at which the person comes back. */
  readonly consent: (authorizationUrl: URL) => Promise<URL>;
}

/** An MCP client of a person, by the official SDK: it finds the authorization server and gets its tokens by itself. */
export const assistant = (url: string, options: AssistantOptions) => {
  const { redirectUrl, scope, clientMetadataUrl, consent } = options;
  const state = randomUUID();
  const session: {
    client?: Stored | undefined;
    tokens?: Tokens | undefined;
    verifier?: string;
    found?: Found;
    page?: URL;
  } = {};
  const provider: OAuthClientProvider = {
    redirectUrl,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: {
      client_name: "Test Assistant",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(scope === undefined ? {} : { scope }),
    },
    state: () => state,
    clientInformation: () => session.client,
    saveClientInformation: (client) => {
      session.client = client;
    },
    tokens: () => session.tokens,
    saveTokens: (tokens) => {
      session.tokens = tokens;
    },
    saveCodeVerifier: (verifier) => {
      session.verifier = verifier;
    },
    codeVerifier: () => session.verifier!,
    saveDiscoveryState: (found) => {
      session.found = found;
    },
    discoveryState: () => session.found,
    invalidateCredentials: () => {
      session.tokens = undefined;
    },
    redirectToAuthorization: (page) => {
      session.page = page;
    },
  };
  const open = async () => {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
    const client = new Client({ name: "test-assistant", version: "1" });
    return { transport, client };
  };
  return {
    session,
    /** Connects; asks the person first if it has no token. */
    connect: async (): Promise<Client> => {
      const first = await open();
      try {
        await first.client.connect(first.transport);
        return first.client;
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
      }
      const back = await consent(session.page!);
      if (back.searchParams.get("state") !== state) throw new Error(`Another state: ${back}`);
      await first.transport.finishAuth(back.searchParams);
      const second = await open();
      await second.client.connect(second.transport);
      return second.client;
    },
  };
};
