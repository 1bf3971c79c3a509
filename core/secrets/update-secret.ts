import { useCase } from "../access/unit-of-work.ts";
import type { Actor } from "../model/access/caller.ts";
import { descriptionOf, type Secret } from "../model/secrets/secret.ts";
import type { SecretId } from "../model/shared/ids.ts";
import { type Change, patched } from "../model/shared/patch.ts";

const fields = ["name", "key", "description", "status", "providerMetadata"] as const;

export interface UpdateSecret extends Change<Secret, (typeof fields)[number]> {
  readonly secretId: SecretId;
  readonly by: Actor;
}

/** Changes a secret's attributes, or disables it: a disabled secret is given to no run. */
export const updateSecret = useCase("secrets.update", function* (unit, command: UpdateSecret) {
  const before = yield* unit.secrets.lock(command.secretId);
  const description = command.description;
  const { after, changed } = patched(
    before,
    description === undefined ? command : { ...command, description: descriptionOf(description) },
    fields,
    unit.at,
  );
  if (changed.length === 0) return before;
  yield* unit.secrets.save(after);
  yield* unit.log("secret.updated", after, { changed });
  return after;
});
