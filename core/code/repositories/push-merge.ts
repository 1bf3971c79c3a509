import * as Effect from "effect/Effect";
import { type CodeStores, HostUnusable } from "../../../ports/code-stores.ts";

/** Pushes a merge to its host. A push that the host has refused does not arrive later; any other that failed may. */
export const pushMerge = (codeStores: CodeStores, ...push: Parameters<CodeStores["push"]>) =>
  codeStores
    .push(...push)
    .pipe(
      Effect.catch((failure) =>
        failure instanceof HostUnusable && failure.reason === "rejected"
          ? Effect.succeed({ rejected: failure })
          : Effect.fail(failure),
      ),
    );
