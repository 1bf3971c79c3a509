import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { ValueField } from "../../nouns/secrets/secret-value-field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

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
      say.done(`${secret.name} rotated to version ${latestVersion}`);
    },
  });
  return (
    <FormDialog
      title={`Rotate ${secret.name}`}
      verb="Rotate"
      write={rotate}
      onSubmit={() => rotate.run({ secretId: secret.id, value })}
      onClose={onClose}
    >
      <p className="muted">
        Creates a new version. Agents that use the latest version get it with their next run.
      </p>
      <ValueField value={value} onChange={setValue} />
    </FormDialog>
  );
};
