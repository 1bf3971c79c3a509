import { BoardroomError } from "../../library/client-error.ts";

/** Turns off the email that the address of the page names, as mail programs do with one click. */
export const unsubscribeHere = async (): Promise<void> => {
  const answer = await fetch(location.pathname, {
    method: "POST",
    body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
  });
  if (!answer.ok) throw BoardroomError.of(answer.status, {}, await answer.text());
};
