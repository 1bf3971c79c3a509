import { signInByCode } from "../live/client.ts";

/** Takes the one-time code out of the address, so that neither the history nor a copied address holds it. */
export const takeCode = (): string | null => {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
};

/** One use is all a code has; a page that renders twice asks once. */
const uses = new Map<string, Promise<void>>();

export const exchangeCode = (code: string): Promise<void> => {
  const use = uses.get(code) ?? signInByCode(code);
  uses.set(code, use);
  return use;
};

/** A link that is opened where the page is already shown loads nothing by itself. */
export const followLinksOfSignIn = (): void => {
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#code=")) location.reload();
  });
};
