/** A link of an email, whose page needs no sign-in. */
export type EmailLink =
  | { readonly does: "confirm"; readonly code: string }
  | { readonly does: "unsubscribe" };

/** Takes the code out of the address, so that neither the history nor a copied address has it. */
export const takeEmailLink = (): EmailLink | null => {
  const { pathname } = new URL(document.baseURI);
  const path = location.pathname.slice(pathname.length);
  if (path.startsWith("unsubscribe/")) return { does: "unsubscribe" };
  if (path !== "confirm-email") return null;
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  history.replaceState(null, "", location.pathname);
  return { does: "confirm", code: code ?? "" };
};
