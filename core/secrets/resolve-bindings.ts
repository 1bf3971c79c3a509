import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import type { Clock } from "../../ports/clock.ts";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { Bound } from "../../ports/stores/secret-store.ts";
import type { Transactor } from "../../ports/transactor.ts";
import { refusal } from "../shared/failure.ts";
import type { AgentId, CompanyId, IssueId, RunId } from "../shared/ids.ts";
import { checkReadable } from "../vaults/vault.ts";
import { bindingsOf, type SecretBinding } from "./binding.ts";

export interface ResolveBindings {
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly issueId: IssueId | null;
  readonly adapterConfig: Readonly<Record<string, unknown>>;
}

/** A variable with its value, for the environment of one process only. */
export interface ResolvedBinding {
  readonly variable: string;
  readonly value: Redacted.Redacted<string>;
}

/** The code gives the reason; the sentence names the variable and no part of the value. */
export class BindingUnresolved extends refusal(
  "secret_unresolved",
  "unprocessable",
  "A secret that the agent is bound to could not be read.",
) {
  readonly reason: string;
  /** The failure of the run. */
  readonly errorCode: string;
  constructor(reason: string, variable: string, sentence: string) {
    super({ reason, variable }, `${variable} cannot be filled: ${sentence}`);
    this.reason = reason;
    this.errorCode = reason.startsWith("secret_") ? reason : `secret_${reason}`;
  }
}

/** The number of concurrent reads. */
const concurrency = 4;

/**
 * Reads the values of an agent's bindings now, so that a run gets values rotated before it. All or none: one failed
 * read fails the whole, and each access is logged.
 */
export const resolveBindings =
  (transactor: Transactor, clock: Clock, providers: SecretProviders) => (command: ResolveBindings) =>
    Effect.gen(function* () {
      const { companyId } = command;
      const bindings = bindingsOf(command.adapterConfig);
      if (bindings.length === 0) return [];
      const bound = yield* transactor.transact(({ secrets }) => secrets.bound(companyId, bindings));
      const read = yield* Effect.forEach(
        bindings,
        (binding, at) =>
          readOne(providers, companyId, binding, bound[at] ?? null).pipe(
            Effect.result,
            Effect.map((result) => ({ binding, bound: bound[at] ?? null, result })),
          ),
        { concurrency },
      );
      const at = clock.now();
      yield* transactor.transact(({ secrets }) =>
        Effect.forEach(
          read,
          ({ binding, bound, result }) =>
            bound === null
              ? Effect.void
              : secrets.noteAccess({
                  companyId,
                  secretId: bound.secret.id,
                  version: bound.version?.version ?? binding.version,
                  provider: bound.secret.provider,
                  agentId: command.agentId,
                  configPath: binding.configPath,
                  issueId: command.issueId,
                  runId: command.runId,
                  outcome: Result.isSuccess(result) ? "success" : "failure",
                  errorCode: Result.isSuccess(result) ? null : result.failure.reason,
                  at,
                }),
          { discard: true },
        ),
      );
      const resolved: ResolvedBinding[] = [];
      for (const { binding, result } of read) {
        if (Result.isFailure(result)) return yield* Effect.fail(result.failure);
        resolved.push({ variable: binding.variable, value: result.success });
      }
      return resolved;
    });

const readOne = Effect.fnUntraced(function* (
  providers: SecretProviders,
  companyId: CompanyId,
  { variable }: SecretBinding,
  bound: Bound | null,
) {
  const fail = (reason: string, sentence: string) =>
    Effect.fail(new BindingUnresolved(reason, variable, sentence));
  if (bound === null) return yield* fail("secret_not_found", "the secret is not there any more.");
  const { secret, version, vault } = bound;
  if (secret.status === "disabled") return yield* fail("secret_disabled", "the secret is disabled.");
  if (version === null) return yield* fail("secret_version_missing", "the secret has no such version.");
  if (version.disabledAt !== null)
    return yield* fail("secret_version_disabled", `version ${version.version} of the secret is disabled.`);
  if (vault !== null) {
    const usable = checkReadable(vault, secret.provider);
    if (Result.isFailure(usable))
      return yield* fail("vault_unusable", `the vault it is in is ${vault.status.replace("_", " ")}.`);
  }
  const value = yield* providers
    .of(secret.provider)
    .read({ companyId, vault }, version, version)
    .pipe(Effect.catch((failure) => fail(failure.code, failure.message)));
  // No environment can hold it, and trying would put the value into the error.
  if (Redacted.value(value).includes("\u0000"))
    return yield* fail("value_unusable", "the value holds a NUL character.");
  return value;
});
