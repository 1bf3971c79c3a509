import { useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/dialog.tsx";
import { Form, Problem, TextField } from "../../parts/field.tsx";
import { OnceDialog } from "../../parts/once-dialog.tsx";
import { Time } from "../../parts/time.tsx";
import { Section } from "./section.tsx";

interface Named {
  readonly id: string;
  readonly name: string;
}

/** One's own board tokens, for the command line and programs. The text of a new one is shown once. */
export const Tokens = () => {
  const [name, setName] = useState("");
  const [made, setMade] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<Named | null>(null);
  const tokens = useRead("tokens.list", {});
  const create = useWrite("tokens.create", {
    onDone: ({ token }) => {
      setName("");
      setMade(token);
    },
  });
  const revoke = useWrite("tokens.revoke", {
    onDone: () => setRevoking(null),
    onRefused: () => setRevoking(null),
  });
  const rows = (tokens.data ?? []).filter(({ revokedAt }) => revokedAt === null);
  const error = tokens.error ?? revoke.error;
  return (
    <Section title="Your tokens">
      <p className="muted">
        For the command line and your programs. They may do what you may do, everywhere.
      </p>
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list stack">
        {rows.map((token) => (
          <li key={token.id} className="row">
            <span className="grow cut">
              {token.name}
              <span className="faint">
                {token.lastUsedAt === null ? (
                  " · never used"
                ) : (
                  <>
                    {" "}
                    · used <Time at={token.lastUsedAt} />
                  </>
                )}
                {token.expiresAt === null ? null : (
                  <>
                    {" "}
                    · ends <Time at={token.expiresAt} />
                  </>
                )}
              </span>
            </span>
            <Button
              small
              kind="danger"
              aria-label={`Revoke ${token.name}`}
              onClick={() => setRevoking(token)}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      <Form label="Make a token" error={create.error} onSubmit={() => create.run({ name })}>
        <div className="row">
          <div className="grow">
            <TextField
              label="Name of a new token"
              bare
              name="name"
              required
              placeholder="Name of a new token"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <Button type="submit" busy={create.busy} disabled={name.trim() === ""}>
            Make
          </Button>
        </div>
      </Form>
      {made === null ? null : (
        <OnceDialog
          title="Your new token"
          values={[{ label: "Token", value: made }]}
          onClose={() => setMade(null)}
        >
          Keep it now: it is shown this once.
        </OnceDialog>
      )}
      {revoking === null ? null : (
        <ConfirmDialog
          title={`Revoke ${revoking.name}?`}
          verb="Revoke"
          busy={revoke.busy}
          onConfirm={() => revoke.run({ tokenId: revoking.id })}
          onClose={() => setRevoking(null)}
        >
          Programs that use it are shut out, and web sessions that began with it end: perhaps this one.
        </ConfirmDialog>
      )}
    </Section>
  );
};
