import * as Effect from "effect/Effect";
import type { Credentials } from "../../ports/credentials.ts";
import type { IdentityAnswer, IdentityProviders } from "../../ports/identity-providers.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import { transactAsSystem, type UnitOfWork, type UseCaseContext } from "../access/unit-of-work.ts";
import type { Client } from "../model/access/client.ts";
import { addressFromProvider } from "../model/access/email-address.ts";
import {
  PersonNotInvited,
  providerSessionSec,
  SignInAnswerNotValid,
} from "../model/access/sign-in-provider.ts";
import type { UserId } from "../model/shared/ids.ts";
import { addSeconds } from "../model/shared/instant.ts";
import type { BeginProviderSignIn } from "./begin-provider-sign-in.ts";
import { beginSession } from "./begin-session.ts";
import { saveGroupsGrant } from "./groups-grant.ts";
import { providerNamed, secretsOf } from "./provider-flow.ts";
import { recordRefusedSignIn } from "./record-refused-sign-in.ts";
import { takeRolesOfGroups } from "./take-roles-of-groups.ts";

export interface FinishProviderSignIn extends BeginProviderSignIn {
  /** The result of the beginning, which only the browser that began it has. */
  readonly flow: string;
  readonly response: string;
  readonly client: Client;
}

interface ProviderSignInIo {
  readonly credentials: Credentials;
  readonly cipher: SecretCipher;
}

/** Exchanges a provider's answer for a web session of the person whom it names. */
export const finishProviderSignIn =
  (context: UseCaseContext, providers: IdentityProviders, io: ProviderSignInIo) =>
  ({ provider: id, redirectUrl, flow, response, client }: FinishProviderSignIn) =>
    Effect.gen(function* () {
      const { credentials } = io;
      const provider = yield* providerNamed(providers, id);
      // The answer of one provider to a request to another is refused before its code is sent anywhere.
      if ((yield* credentials.readFlow(flow)) !== id) return yield* Effect.fail(new SignInAnswerNotValid());
      const request = { redirectUrl, response, ...secretsOf(credentials, flow) };
      const identity = yield* providers.finish(provider, request);
      // Refuses after the commit: a refused sign-in of a known person is recorded.
      const session = yield* transactAsSystem(context, "access.finishProviderSignIn", function* (unit) {
        return yield* signIn(unit, io, identity, client);
      });
      return session === null ? yield* Effect.fail(new PersonNotInvited()) : session;
    });

const signIn = (
  unit: UnitOfWork,
  { credentials, cipher }: ProviderSignInIo,
  identity: IdentityAnswer,
  client: Client,
) =>
  Effect.gen(function* () {
    const userId = yield* personOf(unit, identity);
    if (userId === null) return null;
    const user = yield* unit.access.lockUser(userId).pipe(Effect.orDie);
    if (user.disabledAt !== null) {
      const refusal = new PersonNotInvited();
      yield* recordRefusedSignIn(unit, { userId, method: "provider", client, refusal });
      return null;
    }
    yield* saveGroupsGrant(unit, cipher, userId, identity);
    yield* takeRolesOfGroups(unit, userId, identity);
    yield* adoptVerifiedEmail(unit, userId, identity);
    return yield* beginSession(unit, credentials, {
      userId,
      method: "provider",
      client,
      name: `web session of ${identity.provider.name}`,
      provider: identity.provider.id,
      latest: addSeconds(unit.at, providerSessionSec),
    });
  });

/** Notices go to the address that the provider has verified, unless the person has chosen another one. */
const adoptVerifiedEmail = (unit: UnitOfWork, userId: UserId, { provider, verifiedEmail }: IdentityAnswer) =>
  Effect.gen(function* () {
    if (verifiedEmail === null) return;
    const before = yield* unit.emails.find(userId);
    const verified = { userId, address: verifiedEmail, provider: provider.id };
    const after = addressFromProvider(before, verified, unit.at);
    if (after !== null) yield* unit.emails.save(after);
  });

/**
 * The person of an identity. One who is new is found by an address that the provider has verified and that an invitation
 * names, if it names one person; the identity is theirs from then on.
 */
const personOf = (unit: UnitOfWork, { issuer, subject, verifiedEmail }: IdentityAnswer) =>
  Effect.gen(function* () {
    const known = yield* unit.identities.find(issuer, subject);
    if (known !== null || verifiedEmail === null) return known;
    const [invited, another] = yield* unit.identities.invitedAt(verifiedEmail);
    if (invited === undefined || another !== undefined) return null;
    yield* unit.identities.insert({ issuer, subject, userId: invited, createdAt: unit.at });
    // A link that was sent to the same person would let somebody else in.
    yield* unit.access.revokeCodes(invited, "invitation", unit.at);
    return invited;
  });
