import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, SelectField, TextField } from "../../parts/field.tsx";
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
    <Dialog title="Add webhook" onClose={onClose}>
      <Form
        label="Add webhook"
        error={add.error}
        onSubmit={() =>
          add.run({ routineId, kind: "webhook", signingMode, ...(label === "" ? {} : { label }) })
        }
      >
        <TextField
          label="Label"
          name="label"
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
        <SelectField
          label="How requests are signed"
          name="signingMode"
          options={signingOptions}
          value={signingMode}
          onChange={(event) => setMode(event.target.value as SigningMode)}
        />
        <div className="form-actions">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="main" busy={add.busy}>
            Add webhook
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};

export const AddApi = ({ routineId, onClose }: AddProps) => {
  const [label, setLabel] = useState("");
  const add = useWrite("routines.addTrigger", { onDone: onClose });
  return (
    <Dialog title="Add API trigger" onClose={onClose}>
      <Form
        label="Add API trigger"
        error={add.error}
        onSubmit={() => add.run({ routineId, kind: "api", ...(label === "" ? {} : { label }) })}
      >
        <TextField
          label="Label"
          name="label"
          hint="Callers name the trigger, so that its runs are told from others."
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
        <div className="form-actions">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="main" busy={add.busy}>
            Add trigger
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
