import * as Effect from "effect/Effect";
import type { CodeStores } from "../../../ports/code-stores.ts";
import type { Merge, RawLfsFiles } from "../../model/repositories/merge.ts";
import { oneLine } from "../../model/shared/sentence.ts";
import { type MaskPorts, maskForIssue } from "../../secrets/mask-for-agents.ts";

const namedMost = 20;

/** Nobody knows whether there are some, which is no reason to undo a merge. */
const notLookedAt: RawLfsFiles = { files: [], count: 0, isCut: true };

/** Names the files of a merge that were committed without Git LFS although `.gitattributes` gives them to it; null: none. */
export const rawLfsFilesOf = (parts: MaskPorts & { readonly codeStores: CodeStores }) => {
  const mask = maskForIssue(parts);
  return Effect.fnUntraced(function* (
    merge: Pick<Merge, "companyId" | "repositoryId" | "issueId" | "ontoCommit"> & { readonly commit: string },
  ) {
    const { ontoCommit: base, commit: head } = merge;
    if (base === null || base === head) return null;
    const found = yield* parts.codeStores
      .rawLfsFiles(merge, { base, head }, namedMost)
      .pipe(Effect.orElseSucceed(() => notLookedAt));
    if (found.count === 0 && !found.isCut) return null;
    const masked = yield* mask(merge);
    // Agents name files as they like.
    const files = found.files.map((file) => oneLine(masked(file, "(hidden name)")));
    return { ...found, files };
  });
};
