import { useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Form, Problem, TextField } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** Where the person gets email, and the address that they have yet to confirm. */
export const EmailAddress = () => {
  const say = useToasts();
  const email = useRead("session.showEmail", {});
  const [typed, setTyped] = useState("");
  const set = useWrite("session.setEmail", { onDone: () => setTyped("") });
  const remove = useWrite("session.removeEmail", { onDone: () => say.done("Email address removed") });
  const { data } = email;
  if (email.error !== null) return <Problem error={email.error} />;
  if (data === undefined) return null;
  const { address, provider, unconfirmedAddress, unconfirmedUntil } = data;
  return (
    <Section title="Email address">
      <p className="muted">{data.available ? shownAddress(address, provider) : unavailable}</p>
      {unconfirmedAddress === null || unconfirmedUntil === null ? null : (
        <p role="status">
          {`To confirm ${unconfirmedAddress}, open the link we've sent there. It expires `}
          <Time at={unconfirmedUntil} />.
        </p>
      )}
      {remove.error === null ? null : <Problem error={remove.error} />}
      {data.available ? (
        <Form label="Email address" error={set.error} onSubmit={() => set.run({ address: typed.trim() })}>
          <TextField
            label="New email address"
            name="address"
            type="email"
            required
            maxLength={254}
            autoComplete="email"
            placeholder="ada@example.org"
            value={typed}
            onChange={setTyped}
          />
          <div className="form-actions">
            {address === null && unconfirmedAddress === null ? null : (
              <Button kind="danger" busy={remove.busy} onClick={() => remove.run({})}>
                Remove address
              </Button>
            )}
            <Button type="submit" busy={set.busy}>
              Send confirmation link
            </Button>
          </div>
        </Form>
      ) : null}
    </Section>
  );
};

const unavailable = "This instance doesn't send email. Ask your admin to set SERVICE_SMTP_URL.";

const shownAddress = (address: string | null, provider: string | null): string => {
  if (address === null) return "No confirmed address yet. You won't get notices by email.";
  return provider === null
    ? `Notices go to ${address}.`
    : `Notices go to ${address}, verified by your sign-in provider.`;
};
