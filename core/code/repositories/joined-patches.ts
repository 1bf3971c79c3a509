import * as Effect from "effect/Effect";
import type { Between, CodeStores, StoreOf } from "../../../ports/code-stores.ts";
import { ChangesUnavailable, changesLimits, DiffTooLarge } from "../../model/repositories/issue-changes.ts";

const tooLargeOfPath = "This diff is too large to show (more than 2 MiB). Fetch the branch to see it.";

/** A difference in one repository. */
export interface PatchOf {
  readonly of: StoreOf;
  readonly url: string;
  readonly between: Effect.Effect<Between, { readonly message: string }>;
}

/** Returns differences in the format of `git diff`; of several repositories each below its address. */
export const joinedPatches = Effect.fnUntraced(function* (
  codeStores: CodeStores,
  asked: readonly PatchOf[],
  paths: readonly string[],
) {
  let text = "";
  for (const { of, url, between } of asked) {
    const bytes = changesLimits.patchBytes - text.length;
    const patch = yield* between.pipe(
      Effect.flatMap((commits) => codeStores.patch(of, commits, { paths, bytes })),
      Effect.mapError(({ message }) => new ChangesUnavailable(undefined, message)),
    );
    if (patch === null)
      return yield* Effect.fail(new DiffTooLarge(undefined, paths.length === 0 ? undefined : tooLargeOfPath));
    text += `${asked.length > 1 ? `# ${url}\n` : ""}${patch}`;
  }
  return text;
});
