import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Bound } from "../../ports/stores/secret-store.ts";
import type { SecretBinding } from "../model/secrets/binding.ts";
import { refusal } from "../model/shared/failure.ts";
import type { CompanyId } from "../model/shared/ids.ts";
import { checkReadable } from "../model/vaults/vault.ts";

/** The code gives the reason; the sentence names the variable and no part of the value. */
export class BindingUnresolved extends refusal(
  "secret_unresolved",
  "unprocessable",
  "A secret the agent uses couldn't be read.",
) {
  readonly reason: string;
  /** The failure of the run. */
  readonly errorCode: string;
  constructor(reason: string, variable: string, sentence: string) {
    super({ reason, variable }, `${variable} can't be set: ${sentence}`);
    this.reason = reason;
    this.errorCode = reason.startsWith("secret_") ? reason : `secret_${reason}`;
  }
}

/** Reads one value now, or says why it cannot be read. */
export const readBinding = Effect.fnUntraced(function* (
  providers: SecretProviders,
  companyId: CompanyId,
  { variable }: SecretBinding,
  bound: Bound | null,
) {
  const fail = (reason: string, sentence: string) =>
    Effect.fail(new BindingUnresolved(reason, variable, sentence));
  if (bound === null) return yield* fail("secret_not_found", "the secret was deleted.");
  const { secret, version, vault } = bound;
  if (secret.status === "disabled") return yield* fail("secret_disabled", "the secret is disabled.");
  if (version === null) return yield* fail("secret_version_missing", "the secret has no such version.");
  if (version.disabledAt !== null)
    return yield* fail("secret_version_disabled", `version ${version.version} of the secret is disabled.`);
  if (vault !== null) {
    const usable = checkReadable(vault, secret.provider);
    if (Result.isFailure(usable))
      return yield* fail("vault_unusable", `its vault is ${vault.status.replace("_", " ")}.`);
  }
  const value = yield* providers
    .of(secret.provider)
    .read({ companyId, vault }, version, version)
    .pipe(Effect.catch((failure) => fail(failure.code, failure.message)));
  // No environment can hold it, and trying would put the value into the error.
  if (Redacted.value(value).includes("\u0000"))
    return yield* fail("value_unusable", "the value contains a NUL character.");
  return value;
});
