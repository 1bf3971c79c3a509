import * as Effect from "effect/Effect";
import type { IdentityAnswer, IdentityProviders } from "../../ports/identity-providers.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { GroupsGrant } from "../../ports/stores/identity-store.ts";
import { transactAsSystem, type UseCaseContext } from "../access/unit-of-work.ts";
import {
  groupsValidSec,
  SignInAnswerNotValid,
  type SignInProvider,
} from "../model/access/sign-in-provider.ts";
import { isHeldAsRestored } from "../model/runs/restored.ts";
import { addSeconds } from "../model/shared/instant.ts";
import { openedRefreshToken, saveGroupsGrant } from "./groups-grant.ts";
import { takeRolesOfGroups } from "./take-roles-of-groups.ts";

/** How many people one round asks about. */
const perRound = 20;

/**
 * Reads the groups of people again at their providers, and gives and takes roles as a sign-in does: a person's tokens, passkeys
 * and assistants work without one. A provider that no longer accepts the person takes the roles that it gave; one that doesn't
 * answer takes none. Returns whether more people may be due.
 */
export const readGroups = (context: UseCaseContext, providers: IdentityProviders, cipher: SecretCipher) => {
  const giving = providers.all.filter(({ roles }) => roles.length > 0);
  const takeDue = transactAsSystem(context, "access.takeDueGrants", function* ({ services, identities, at }) {
    // A provider takes a token that two installations use for a stolen one.
    if (isHeldAsRestored(yield* services.restored())) return [];
    const ids = giving.map(({ id }) => id);
    return yield* identities.takeDueGrants(ids, addSeconds(at, -groupsValidSec), at, perRound);
  });
  const adopt = (grant: GroupsGrant, identity: IdentityAnswer) =>
    transactAsSystem(context, "access.readGroups", function* (unit) {
      // A sign-in has read them meanwhile.
      if (!(yield* unit.identities.lockGrant(grant))) return;
      yield* saveGroupsGrant(unit, cipher, grant.userId, identity);
      yield* takeRolesOfGroups(unit, grant.userId, identity);
    });
  const read = Effect.fnUntraced(function* (grant: GroupsGrant) {
    const provider = giving.find(({ id }) => id === grant.provider)!;
    const token = yield* transactAsSystem(context, "access.openGrant", function* (unit) {
      return yield* openedRefreshToken(unit, cipher, grant);
    });
    const identity = yield* providers
      .refresh(provider, grant.subject, token)
      .pipe(
        Effect.catch((refusal) =>
          Effect.succeed(refusal instanceof SignInAnswerNotValid ? withoutGroups(provider, grant) : null),
        ),
      );
    if (identity !== null) yield* adopt(grant, identity);
  });
  return () =>
    Effect.gen(function* () {
      if (giving.length === 0) return false;
      const due = yield* takeDue;
      yield* Effect.forEach(due, read, { concurrency: 4, discard: true });
      return due.length === perRound;
    });
};

const withoutGroups = (provider: SignInProvider, { issuer, subject }: GroupsGrant): IdentityAnswer => ({
  provider,
  issuer,
  subject,
  verifiedEmail: null,
  groups: [],
  refreshToken: null,
});
