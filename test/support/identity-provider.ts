import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Context } from "oidc-provider";

/** Somebody with an account at the provider. */
export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

export interface TestProvider {
  readonly issuer: string;
  /** The person who signs in next. */
  account: Account;
  /** The answer to every exchange of a token, by its status and error; null: its own. */
  refusal: { readonly status: number; readonly error: string } | null;
  /** Whether it ends each connection of a client without an answer. */
  isDown: boolean;
  /** How many requests it has refused as it was told to. */
  refused: number;
  /** Subjects whose accounts are gone. */
  readonly removed: Set<string>;
  /** Changes the claims of ID tokens, which are signed again by the provider's own key. */
  forge: ((claims: Record<string, unknown>) => Record<string, unknown>) | null;
  /** Signs in at the address of a sign-in, as the browser does; returns the address to which it is sent back. */
  signIn(url: string): Promise<URL>;
  stop(): Promise<void>;
}

export const oidcClient = { id: "boardroom", secret: "a secret of some length for tests" };

/** The package oidc-provider on loopback, where everybody signs in without a form. */
export const startProvider = async (redirectUris: () => readonly string[]): Promise<TestProvider> => {
  const { default: Provider } = await import("oidc-provider");
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), kid: "k", alg: "RS256", use: "sig" };
  let serve: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: Pick<TestProvider, "account" | "forge" | "isDown" | "refusal" | "refused" | "removed"> = {
    account: { sub: "nobody" },
    forge: null,
    isDown: false,
    refusal: null,
    refused: 0,
    removed: new Set(),
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: oidcClient.id,
        client_secret: oidcClient.secret,
        redirect_uris: redirectUris(),
        grant_types: ["authorization_code", "refresh_token"],
        post_logout_redirect_uris: [],
      },
    ],
    jwks: { keys: [jwk] },
    ttl: { AuthorizationCode: 60 },
    cookies: { keys: ["k"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"], profile: [] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => "/interaction" },
    issueRefreshToken: async () => true,
    // A token that is used twice ends all that came from the sign-in.
    rotateRefreshToken: true,
    findAccount: (_: unknown, sub: string) =>
      state.removed.has(sub) ? undefined : { accountId: sub, claims: () => ({ ...state.account, sub }) },
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  serve = (request, response) => {
    if (request.url?.startsWith("/interaction")) {
      const result = { login: { accountId: state.account.sub } };
      void provider.interactionFinished(request, response, result);
      return;
    }
    if (state.isDown) {
      state.refused++;
      request.socket.destroy();
      return;
    }
    if (request.url === "/token" && state.refusal !== null) {
      const { status, error } = state.refusal;
      state.refused++;
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
      return;
    }
    if (request.url === "/token" && state.forge !== null) forgeAnswer(response, state.forge);
    answer(request, response);
  };
  const forgeAnswer = (response: ServerResponse, forge: NonNullable<TestProvider["forge"]>) => {
    const end = response.end.bind(response);
    response.end = ((body: string) => {
      const { id_token: idToken, ...rest } = JSON.parse(String(body));
      void new SignJWT(forge({ ...decodeJwt(idToken) }))
        .setProtectedHeader({ alg: "RS256", kid: "k" })
        .sign(privateKey)
        .then((forged) => {
          const text = JSON.stringify({ ...rest, id_token: forged });
          response.setHeader("content-length", Buffer.byteLength(text));
          end(text);
        });
      return response;
    }) as typeof response.end;
  };
  return Object.assign(state, {
    issuer,
    signIn: async (url: string) => {
      const cookies = new Map<string, string>();
      for (let at = new URL(url); ; ) {
        const cookie = [...cookies].map((each) => each.join("=")).join("; ");
        const answered = await fetch(at, { redirect: "manual", headers: { cookie } });
        for (const set of answered.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        const location = answered.headers.get("location");
        if (location === null) throw new Error(`${at} → ${answered.status} ${await answered.text()}`);
        at = new URL(location, at);
        if (at.origin !== issuer) return at;
      }
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
};
