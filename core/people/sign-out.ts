import * as Effect from "effect/Effect";
import type { IdentityProviders } from "../../ports/identity-providers.ts";
import { transact, type UseCaseContext } from "../access/unit-of-work.ts";
import { actorOf, type BoardCaller, Unauthenticated } from "../model/access/caller.ts";

export interface SignOut {
  readonly caller: BoardCaller;
  readonly returnUrl: string;
}

/** Ends the session of the caller. One that began at a provider has an address that ends it there, too. */
export const signOut =
  (context: UseCaseContext, providers: IdentityProviders) =>
  ({ caller, returnUrl }: SignOut) =>
    Effect.gen(function* () {
      if (!caller.session) return yield* Effect.fail(new Unauthenticated());
      const id = yield* transact(context, "access.signOut", actorOf(caller), function* (unit) {
        const session = yield* unit.access.lockCredential(caller.tokenId, unit.at);
        if (session === null) return yield* Effect.fail(new Unauthenticated());
        yield* unit.access.revokeCredential(caller.tokenId, caller.userId, unit.at);
        return session.provider;
      });
      const provider = providers.all.find((each) => each.id === id);
      const signOutUrl = provider === undefined ? null : yield* providers.signOutUrl(provider, returnUrl);
      return { ok: true as const, signOutUrl };
    });
