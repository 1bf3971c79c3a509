import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { SelectField, TextField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { ShownSecret } from "./shown-secrets.tsx";

type SigningMode = NonNullable<AnswerOf<"routines.addTrigger">["signingMode"]>;

const signingOptions: readonly { readonly value: SigningMode; readonly label: string }[] = [
  { value: "bearer", label: "Secret as a bearer token" },
  { value: "hmac_sha256", label: "HMAC-SHA256 over time and body" },
  { value: "github_sha256", label: "As GitHub signs" },
];

interface AddProps {
  readonly routineId: string;
  readonly onClose: () => void;
}

export const AddWebhook = ({
  routineId,
  onSecret,
  onClose,
}: AddProps & { readonly onSecret: (secret: ShownSecret) => void }) => {
  const [label, setLabel] = useState("");
  const [signingMode, setMode] = useState<SigningMode>("bearer");
  const add = useWrite("routines.addTrigger", {
    onDone: ({ secret, webhookUrl }) => {
      onClose();
      if (secret !== null) onSecret({ secret, webhookUrl: webhookUrl ?? "" });
    },
  });
  return (
    <FormDialog
      title="Add webhook"
      verb="Add webhook"
      write={add}
      onSubmit={() =>
        add.run({ routineId, kind: "webhook", signingMode, ...(label === "" ? {} : { label }) })
      }
      onClose={onClose}
    >
      <TextField label="Label" name="label" value={label} onChange={setLabel} />
      <SelectField
        label="How requests are signed"
        name="signingMode"
        options={signingOptions}
        value={signingMode}
        onChange={setMode}
      />
    </FormDialog>
  );
};

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
        hint="Callers name the trigger, which distinguishes its runs from others."
        value={label}
        onChange={setLabel}
      />
    </FormDialog>
  );
};
