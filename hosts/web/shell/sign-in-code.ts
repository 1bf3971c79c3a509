import { signInByCode } from "../live/client.ts";

/** A sign-in that the address of the page brings: a one-time link, or the answer of a sign-in provider. */
export interface BroughtSignIn {
  /** Null: a link's code, which the service knows by itself. */
  readonly provider: string | null;
  readonly text: string;
}

const providerPath = /^sign-in\/oidc\/([a-z0-9]+)$/;

/** Takes the sign-in out of the address, so that neither the history nor a copied address has its code. */
export const takeSignIn = (): BroughtSignIn | null => {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    return { provider: null, text: code };
  }
  const { pathname } = new URL(document.baseURI);
  const provider = providerPath.exec(location.pathname.slice(pathname.length))?.[1];
  if (provider === undefined || location.search === "") return null;
  const text = location.search.slice(1);
  history.replaceState(null, "", pathname);
  return { provider, text };
};

const exchange = async ({ provider, text }: BroughtSignIn): Promise<void> => {
  if (provider === null) return signInByCode(text);
  const { finishAtProvider } = await import("./provider-sign-in.ts");
  return finishAtProvider(provider, text);
};

/** One use is all a code has; a page that renders twice asks once. */
const uses = new Map<string, Promise<void>>();

export const exchangeSignIn = (brought: BroughtSignIn): Promise<void> => {
  const use = uses.get(brought.text) ?? exchange(brought);
  uses.set(brought.text, use);
  return use;
};

/** A link that is opened where the page is already shown loads nothing by itself. */
export const followLinksOfSignIn = (): void => {
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#code=")) location.reload();
  });
};
