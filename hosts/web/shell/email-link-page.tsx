import { useState } from "react";
import { baseUrl, client } from "../live/client.ts";
import { unsubscribeHere } from "../live/unsubscribe.ts";
import { Button } from "../widgets/button.tsx";
import { Problem } from "../widgets/field.tsx";
import type { EmailLink } from "./email-links.ts";

/**
 * Asks before a link of an email does anything: programs that check email for viruses open its links, too. Needs no
 * sign-in.
 */
export const EmailLinkPage = ({ link }: { readonly link: EmailLink }) => {
  const [state, setState] = useState<"asks" | "busy" | "done">("asks");
  const [address, setAddress] = useState("");
  const [error, setError] = useState<unknown>(null);
  const isConfirmation = link.does === "confirm";
  const act = async () => {
    setState("busy");
    setError(null);
    try {
      if (link.does === "confirm")
        setAddress((await client.session.confirmEmail({ code: link.code })).address);
      else await unsubscribeHere();
      setState("done");
    } catch (problem) {
      setError(problem);
      setState("asks");
    }
  };
  return (
    <main className="sign-in">
      <h1>Boardroom</h1>
      {error === null ? null : <Problem error={error} />}
      {state === "done" ? (
        <>
          <p role="status">
            {isConfirmation ? `Notices now go to ${address}.` : "You won't get these emails anymore."}
          </p>
          <p>
            <a href={`${baseUrl}/profile`}>Change your notices</a>
          </p>
        </>
      ) : (
        <>
          <p>
            {isConfirmation
              ? "Confirm that you want to get notices from Boardroom by email."
              : "Do you want to turn off these emails?"}
          </p>
          <Button kind="main" busy={state === "busy"} onClick={() => void act()}>
            {isConfirmation ? "Confirm email address" : "Turn off emails"}
          </Button>
        </>
      )}
    </main>
  );
};
