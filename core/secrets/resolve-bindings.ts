import * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import type { SecretProviders } from "../../ports/secret-provider.ts";
import type { UseCaseContext } from "../access/unit-of-work.ts";
import type { SecretBinding } from "../model/secrets/binding.ts";
import type { AgentId, CompanyId, IssueId, RunId } from "../model/shared/ids.ts";
import { readBinding } from "./read-binding.ts";

export interface ResolveBindings {
  readonly companyId: CompanyId;
  readonly agentId: AgentId;
  readonly runId: RunId;
  readonly issueId: IssueId | null;
  readonly bindings: readonly SecretBinding[];
}

/** A variable with its value, for the environment of one process only. */
export interface ResolvedBinding {
  readonly variable: string;
  readonly value: Redacted.Redacted<string>;
}

/** The number of concurrent reads. */
const concurrency = 4;

/**
 * Reads the values of an agent's bindings now, so that a run gets values rotated before it. All or none: one failed
 * read fails the whole, and each access is logged.
 */
export const resolveBindings =
  (context: UseCaseContext, providers: SecretProviders) => (command: ResolveBindings) =>
    Effect.gen(function* () {
      const { companyId, bindings } = command;
      if (bindings.length === 0) return [];
      const bound = yield* context.transactor.transact(({ secrets }) => secrets.bound(companyId, bindings));
      const read = yield* Effect.forEach(
        bindings,
        (binding, at) =>
          readBinding(providers, companyId, binding, bound[at] ?? null).pipe(
            Effect.result,
            Effect.map((result) => ({ binding, bound: bound[at] ?? null, result })),
          ),
        { concurrency },
      );
      const at = context.clock.now();
      yield* context.transactor.transact(({ secrets }) =>
        Effect.forEach(
          read,
          ({ binding, bound, result }) =>
            bound === null
              ? Effect.void
              : secrets.recordAccess({
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
