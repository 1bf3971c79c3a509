import { useState } from "react";
import { secretLikeVariables } from "../../../../core/model/agents/inline-secrets.ts";
import { useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { useMayHere } from "../../nouns/companies/company.tsx";
import { Button } from "../../widgets/button.tsx";
import { TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** Offers to make secrets of plain values that look like some: all readers of the agent see these. */
export const SecretOffers = ({ agent }: { readonly agent: Agent }) => {
  const mayKeep = useMayHere("manageSecrets");
  const [chosen, setChosen] = useState<readonly [variable: string, value: string] | null>(null);
  const found = secretLikeVariables(agent.adapterConfig);
  return (
    <>
      {mayKeep && found.length > 0 ? (
        <ul className="agent-offers" aria-label="Values that look like secrets">
          {found.map(([variable, value]) => (
            <li key={variable} className="row">
              <span className="grow">
                <code>{variable}</code> looks like a secret. Everyone who can see this agent can read its
                value.
              </span>
              <Button small icon="key-round" onClick={() => setChosen([variable, value])}>
                Save as secret
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      {chosen === null ? null : (
        <KeepAsSecret agent={agent} variable={chosen[0]} value={chosen[1]} onClose={() => setChosen(null)} />
      )}
    </>
  );
};

interface KeepProps {
  readonly agent: Agent;
  readonly variable: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** Creates the secret, and then puts a reference to it in place of the value. */
const KeepAsSecret = ({ agent, variable, value, onClose }: KeepProps) => {
  const say = useToasts();
  const [name, setName] = useState(variable);
  const bind = useWrite("agents.update", {
    onDone: () => {
      onClose();
      say.done(`${variable} is now a secret. Earlier configurations still show its value.`);
    },
  });
  const bindTo = (secretId: string) => {
    const reference = { type: "secret_ref", secretId, version: "latest" };
    bind.run({ agentId: agent.id, adapterConfig: { env: { [variable]: reference } } as never });
  };
  const keep = useWrite("secrets.create", { onDone: ({ id }) => bindTo(id) });
  return (
    <FormDialog
      title={`Save ${variable} as a secret`}
      verb="Save as secret"
      write={{ busy: keep.busy || bind.busy, error: keep.error ?? bind.error }}
      onSubmit={() =>
        // The first call may have succeeded alone.
        keep.answer === undefined
          ? keep.run({ companyId: agent.companyId, name, value })
          : bindTo(keep.answer.id)
      }
      onClose={onClose}
    >
      <p className="muted">
        The value is encrypted and masked in run output. Earlier configurations still show it, so replace the
        credential with its provider and rotate the secret afterwards.
      </p>
      <TextField label="Name" name="name" required maxLength={200} value={name} onChange={setName} />
    </FormDialog>
  );
};
