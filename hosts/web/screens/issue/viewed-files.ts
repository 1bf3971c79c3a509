import { type ChangedFile, keyOfFile } from "../../nouns/code/changed-files.tsx";
import { useDraft } from "../../widgets/drafts.ts";

export interface ViewedFiles {
  readonly has: (file: ChangedFile) => boolean;
  readonly toggle: (file: ChangedFile) => void;
}

/** The files that the person has marked as viewed, in this tab, between these two commits: later commits begin anew. */
export const useViewedFiles = (
  repositoryId: string,
  base: string | null,
  head: string | null,
): ViewedFiles => {
  const [text, setText] = useDraft(`viewed files of ${repositoryId} ${base} ${head}`);
  const viewed = new Set(text === "" ? [] : (JSON.parse(text) as readonly string[]));
  return {
    has: (file) => viewed.has(keyOfFile(file)),
    toggle: (file) => {
      const next = new Set(viewed);
      if (!next.delete(keyOfFile(file))) next.add(keyOfFile(file));
      setText(next.size === 0 ? "" : JSON.stringify([...next]));
    },
  };
};
