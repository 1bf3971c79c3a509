import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import type { Routine } from "../../live/records.ts";
import { SelectField, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import type { ShownSecret } from "./shown-secrets.tsx";

type Trigger = Routine["triggers"][number];
type SigningMode = NonNullable<AnswerOf<"routines.addTrigger">["signingMode"]>;

const signingOptions: readonly { readonly value: SigningMode; readonly label: string }[] = [
  { value: "bearer", label: "Bearer token" },
  { value: "hmac_sha256", label: "HMAC-SHA256 (timestamp and body)" },
  { value: "github_sha256", label: "Signed like GitHub" },
  { value: "standard_webhooks", label: "Standard Webhooks" },
  { value: "gitlab_token", label: "GitLab secret token" },
  { value: "stripe", label: "Signed like Stripe" },
];

interface AddProps {
  readonly routineId: string;
  readonly onClose: () => void;
}

interface WebhookProps extends AddProps {
  /** The webhook that is changed; null adds one. */
  readonly begun: Trigger | null;
  readonly onSecret: (secret: ShownSecret) => void;
}

/** A webhook, with how its requests are signed. */
export const WebhookDialog = ({ routineId, begun, onSecret, onClose }: WebhookProps) => {
  const [label, setLabel] = useState(begun?.label ?? "");
  const [signingMode, setMode] = useState<SigningMode>(begun?.signingMode ?? "bearer");
  const [seconds, setSeconds] = useState(String(begun?.replayWindowSec ?? ""));
  const add = useWrite("routines.addTrigger", {
    onDone: ({ secret, webhookUrl }) => {
      onClose();
      if (secret !== null) onSecret({ secret, webhookUrl: webhookUrl ?? "" });
    },
  });
  const change = useWrite("routines.updateTrigger", { onDone: onClose });
  // Only these modes sign the time.
  const hasWindow = ["hmac_sha256", "standard_webhooks", "stripe"].includes(signingMode);
  const [senderSecret, setSenderSecret] = useState("");
  const title = begun === null ? "Add webhook" : "Edit webhook";
  return (
    <FormDialog
      title={title}
      verb={begun === null ? "Add webhook" : "Save"}
      write={begun === null ? add : change}
      onSubmit={() => {
        const fields = {
          signingMode,
          ...(hasWindow && seconds !== "" ? { replayWindowSec: Number(seconds) } : {}),
        };
        if (begun === null)
          add.run({
            routineId,
            kind: "webhook",
            ...fields,
            ...(label === "" ? {} : { label }),
            ...(senderSecret === "" ? {} : { secret: senderSecret }),
          });
        else change.run({ triggerId: begun.id, ...fields, label: label === "" ? null : label });
      }}
      onClose={onClose}
    >
      <TextField label="Label" name="label" value={label} onChange={setLabel} />
      <SelectField
        label="Authentication"
        name="signingMode"
        options={signingOptions}
        value={signingMode}
        onChange={setMode}
      />
      {begun === null ? <SenderSecret value={senderSecret} onChange={setSenderSecret} /> : null}
      {hasWindow ? (
        <TextField
          label="Replay window in seconds"
          name="replayWindowSec"
          hint={`A request whose signed time differs more from now is refused.${begun === null ? " Empty: the usual window." : ""}`}
          type="number"
          step={1}
          inputMode="numeric"
          required={begun !== null}
          value={seconds}
          onChange={setSeconds}
        />
      ) : null}
    </FormDialog>
  );
};

interface SenderSecretProps {
  readonly value: string;
  readonly onChange: (typed: string) => void;
}

export const SenderSecret = (props: SenderSecretProps) => (
  <TextField
    label="Secret of the sender"
    name="secret"
    type="password"
    autoComplete="off"
    hint="Enter the secret that Stripe, Slack or Linear shows you. Leave it empty to create one."
    {...props}
  />
);

export const AddApi = ({ routineId, onClose }: AddProps) => {
  const [label, setLabel] = useState("");
  const add = useWrite("routines.addTrigger", { onDone: onClose });
  return (
    <FormDialog
      title="Add API trigger"
      verb="Add trigger"
      write={add}
      onSubmit={() => add.run({ routineId, kind: "api", ...(label === "" ? {} : { label }) })}
      onClose={onClose}
    >
      <TextField
        label="Label"
        name="label"
        hint="Callers name this trigger, so you can tell its runs apart."
        value={label}
        onChange={setLabel}
      />
    </FormDialog>
  );
};
