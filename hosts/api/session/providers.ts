import * as Effect from "effect/Effect";
import { z } from "zod";
import {
  PersonNotInvited,
  SignInAnswerNotValid,
  SignInProviderNotFound,
  SignInProviderUnavailable,
} from "../../../core/model/access/sign-in-provider.ts";
import { byLink } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import type { ServiceStatus } from "../endpoint/service-status.ts";
import { sessionEndpoint } from "../endpoint/session-endpoint.ts";
import { Timestamp, upTo } from "../endpoint/values.ts";

/** Each provider has an address of its own, so that the answer of one is never taken for that of another. */
const redirectUrlOf = (service: ServiceStatus, provider: string): string =>
  `${service.address()}/sign-in/oidc/${provider}`;

const ProviderId = z.string().regex(/^[a-z0-9]{1,64}$/, "must be the id of a sign-in provider");

const originOf = (party: { readonly origin: string } | null) =>
  party === null ? null : { origin: party.origin };

export const providerCalls = {
  methods: endpoint({
    method: "GET",
    path: "/api/session/methods",
    summary: "List the ways to sign in",
    description: "Needs no credentials. One-time links and invitations sign in everywhere.",
    access: byLink,
    returns: z.object({
      boardToken: z.boolean().describe("Whether people sign in with board tokens."),
      passkeys: z
        .object({ origin: z.string().describe("The page must be open at this address.") })
        .nullable()
        .describe("Null: the address of the service has no https or no name."),
      providers: z.array(z.object({ id: z.string(), name: z.string() })).readonly(),
    }),
    run: ({ access }) =>
      Effect.sync(() => ({
        boardToken: access.boardTokens === "all",
        passkeys: originOf(access.passkeyParty()),
        providers: access.providers.map(({ id, name }) => ({ id, name })),
      })),
  }),
  beginByProvider: endpoint({
    method: "POST",
    path: "/api/session/oidc",
    summary: "Begin a sign-in at an OpenID provider",
    description:
      "Open `url` in a browser, and send what it brings back with `flow`, within ten minutes, to `POST /api/session/oidc/callback`.",
    access: byLink,
    body: z.strictObject({ provider: ProviderId }),
    returns: z.object({
      url: z.string(),
      flow: z.string().describe("Belongs to the browser that signs in: tell nobody."),
    }),
    failures: [SignInProviderNotFound, SignInProviderUnavailable],
    run: ({ access, service }, { provider }) =>
      access.beginProviderSignIn({ provider, redirectUrl: redirectUrlOf(service, provider) }),
  }),
  createByProvider: sessionEndpoint({
    method: "POST",
    path: "/api/session/oidc/callback",
    summary: "Exchange a provider's answer for a web session",
    description:
      "Works as `POST /api/session`. The person is recognised by the account at the provider; one who is new by the email address of an invitation, if the provider has verified it. The session lasts 12 hours at most; groups give and take roles when it begins.",
    access: byLink,
    body: z.strictObject({
      provider: ProviderId.describe("The last part of the path to which the provider has sent the browser."),
      flow: upTo(2_000).min(1),
      response: upTo(8_000).min(1).describe("The query of that address, without the question mark."),
    }),
    returns: z.object({ csrfToken: z.string(), expiresAt: Timestamp }),
    status: 201,
    failures: [SignInProviderNotFound, SignInProviderUnavailable, SignInAnswerNotValid, PersonNotInvited],
    run: ({ access, service }, input, { client }) =>
      access
        .finishProviderSignIn({ ...input, redirectUrl: redirectUrlOf(service, input.provider), client })
        .pipe(Effect.map(({ session, ...answer }) => ({ session, answer }))),
  }),
};
