/** Turns off the email that the address of the page names, as mail programs do with one click. */
export const unsubscribeHere = async (): Promise<void> => {
  const answer = await fetch(location.pathname, {
    method: "POST",
    body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
  });
  if (answer.ok) return;
  const refusal: { readonly message?: string } = await answer.json().catch(() => ({}));
  throw new Error(refusal.message ?? "The service isn't responding. Try again in a moment.");
};
