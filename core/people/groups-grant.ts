import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { IdentityAnswer } from "../../ports/identity-providers.ts";
import type { SecretCipher } from "../../ports/secret-cipher.ts";
import type { GroupsGrant } from "../../ports/stores/identity-store.ts";
import type { UnitOfWork } from "../access/unit-of-work.ts";
import type { UserId } from "../model/shared/ids.ts";

type Account = Pick<GroupsGrant, "issuer" | "subject">;

const ownerOf = ({ issuer, subject }: Account) => ({
  companyId: null,
  kind: "identity",
  id: `${issuer} ${subject}`,
  version: 1,
});

/** Stores what reads the groups again, sealed: it is a credential of the person at the provider. */
export const saveGroupsGrant = (
  unit: UnitOfWork,
  cipher: SecretCipher,
  userId: UserId,
  { provider, issuer, subject, refreshToken }: IdentityAnswer,
) =>
  Effect.gen(function* () {
    const account = { issuer, subject };
    const sealed =
      refreshToken === null || provider.roles.length === 0
        ? null
        : yield* cipher.seal(unit.dataKeys, ownerOf(account), refreshToken);
    yield* unit.identities.saveGrant({
      ...account,
      userId,
      provider: provider.id,
      sealed,
      checkedAt: unit.at,
    });
  });

/** Returns the refresh token of a grant that has one. */
export const openedRefreshToken = (
  { dataKeys }: Pick<UnitOfWork, "dataKeys">,
  cipher: SecretCipher,
  grant: GroupsGrant,
): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.orDie(cipher.open(dataKeys, ownerOf(grant), grant.sealed!));
