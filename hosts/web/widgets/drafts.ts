import { useEffect, useState } from "react";

/**
 * Drafts are kept in sessionStorage: it survives a reload, belongs to its tab, so that two tabs on one issue do not
 * write over each other, and ends with it, so that nothing of a company stays on a machine that others use.
 */
const prefix = "boardroom.draft.";

/** A text that survives a reload. `field` names where it is typed, such as `comment of <issueId>`. */
export const useDraft = (field: string): readonly [string, (text: string) => void] => {
  const key = prefix + field;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  useEffect(() => setText(sessionStorage.getItem(key) ?? ""), [key]);
  return [
    text,
    (next) => {
      setText(next);
      if (next === "") sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, next);
    },
  ];
};

/** When somebody signs out, nothing of theirs stays. */
export const forgetDrafts = (): void => {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
};
