import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog, Dialog } from "../../parts/dialog.tsx";
import { Form, Problem, TextField } from "../../parts/field.tsx";
import { Time } from "../../parts/time.tsx";

type Key = AnswerOf<"agents.keys">[number];

/** Long-lived keys of an agent, for programs outside of its runs. The text of a new one is shown once. */
export const AgentKeys = ({ agentId }: { readonly agentId: string }) => {
  const [name, setName] = useState("");
  const [made, setMade] = useState<string | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const keys = useRead("agents.keys", { agentId });
  const create = useWrite("agents.createKey", {
    onDone: ({ token }) => {
      setName("");
      setMade(token);
    },
  });
  const revoke = useWrite("agents.revokeKey", {
    onDone: () => setRevoking(null),
    onRefused: () => setRevoking(null),
  });
  const error = keys.error ?? revoke.error;
  return (
    <section aria-labelledby="agent-keys" className="stack">
      <h2 id="agent-keys">Keys</h2>
      <p className="muted">
        For programs that act as this agent outside of its runs. A run brings a token of its own.
      </p>
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list">
        {(keys.data ?? [])
          .filter(({ revokedAt }) => revokedAt === null)
          .map((key) => (
            <li key={key.id} className="row agent-issue">
              <span className="grow cut">
                {key.name}
                <span className="faint">
                  {key.lastUsedAt === null ? (
                    " · never used"
                  ) : (
                    <>
                      {" "}
                      · used <Time at={key.lastUsedAt} />
                    </>
                  )}
                </span>
              </span>
              <Button
                small
                kind="danger"
                aria-label={`Revoke the key ${key.name}`}
                onClick={() => setRevoking(key)}
              >
                Revoke
              </Button>
            </li>
          ))}
      </ul>
      <Form label="Make a key" error={create.error} onSubmit={() => create.run({ agentId, name })}>
        <div className="row">
          <div className="grow">
            <TextField
              label="Name of a new key"
              bare
              name="name"
              required
              placeholder="Name of a new key"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </div>
          <Button type="submit" busy={create.busy} disabled={name.trim() === ""}>
            Make key
          </Button>
        </div>
      </Form>
      {made === null ? null : (
        <Dialog title="The new key" onClose={() => setMade(null)}>
          <p>Keep it now: it is shown this once.</p>
          <code className="agent-key">{made}</code>
          <div className="form-actions">
            <Button icon="copy" onClick={() => void navigator.clipboard.writeText(made)}>
              Copy
            </Button>
            <Button kind="main" onClick={() => setMade(null)}>
              Done
            </Button>
          </div>
        </Dialog>
      )}
      {revoking === null ? null : (
        <ConfirmDialog
          title={`Revoke the key ${revoking.name}?`}
          verb="Revoke"
          busy={revoke.busy}
          onConfirm={() => revoke.run({ agentId, keyId: revoking.id })}
          onClose={() => setRevoking(null)}
        >
          Programs that use it are refused from the next request on. A live run continues.
        </ConfirmDialog>
      )}
    </section>
  );
};
