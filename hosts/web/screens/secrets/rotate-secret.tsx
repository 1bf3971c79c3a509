import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form } from "../../parts/field.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { ValueField } from "./value-field.tsx";

export const RotateSecret = ({
  secret,
  onClose,
}: {
  readonly secret: AnswerOf<"secrets.list">[number];
  readonly onClose: () => void;
}) => {
  const [value, setValue] = useState("");
  const say = useToasts();
  const rotate = useWrite("secrets.rotate", {
    onDone: ({ latestVersion }) => {
      onClose();
      say.done(`${secret.name} has version ${latestVersion}.`);
    },
  });
  return (
    <Dialog title={`Rotate ${secret.name}`} onClose={onClose}>
      <p className="muted">Makes a new version. Agents bound to the latest get it with their next run.</p>
      <Form label="Rotate" error={rotate.error} onSubmit={() => rotate.run({ secretId: secret.id, value })}>
        <ValueField value={value} onChange={setValue} />
        <div className="form-actions">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="main" busy={rotate.busy}>
            Rotate
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
