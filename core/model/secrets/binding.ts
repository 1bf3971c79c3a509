import * as Result from "effect/Result";
import { ReferenceNotFound, refusal } from "../shared/failure.ts";
import type { SecretId } from "../shared/ids.ts";
import { type Secret, SecretDisabled } from "./secret.ts";

/** A variable of an agent's environment that a secret fills. */
export interface SecretBinding {
  readonly variable: string;
  /** `env.NAME`: the path in the adapterConfig. */
  readonly configPath: string;
  readonly secretId: SecretId;
  /** null: the latest version at the start of a run. */
  readonly version: number | null;
}

export class SecretVersionMissing extends refusal(
  "secret_version_missing",
  "unprocessable",
  "Secret version not found.",
) {}

/** Returns the references of an adapterConfig whose shape is already checked. */
export const bindingsOf = (config: Readonly<Record<string, unknown>>): readonly SecretBinding[] =>
  Object.entries((config.env ?? {}) as Record<string, unknown>).flatMap(([variable, bound]) => {
    const { type, secretId, version } = (bound ?? {}) as Record<string, unknown>;
    if (type !== "secret_ref") return [];
    return [
      {
        variable,
        configPath: `env.${variable}`,
        secretId: secretId as SecretId,
        version: typeof version === "number" ? version : null,
      },
    ];
  });

/** Whether the company's secrets can fill the bindings. A missing secret and another company's give the same answer. */
export const checkBindings = (
  bindings: readonly SecretBinding[],
  secrets: ReadonlyMap<SecretId, Pick<Secret, "status" | "latestVersion">>,
  /** Where the paths of the bindings begin. */
  root: readonly string[] = ["adapterConfig"],
): Result.Result<void, ReferenceNotFound | SecretVersionMissing | SecretDisabled> => {
  for (const { configPath, secretId, version } of bindings) {
    const secret = secrets.get(secretId);
    const path = [...root, ...configPath.split(".")];
    if (secret === undefined)
      return Result.fail(
        new ReferenceNotFound(
          { path: [...path, "secretId"] },
          `${path.join(".")} refers to something that doesn't exist.`,
        ),
      );
    if (secret.status === "disabled") return Result.fail(new SecretDisabled({ path }));
    if (version !== null && version > secret.latestVersion)
      return Result.fail(new SecretVersionMissing({ path: [...path, "version"] }));
  }
  return Result.succeed(undefined);
};
