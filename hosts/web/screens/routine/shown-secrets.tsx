import { OnceDialog } from "../../widgets/once-dialog.tsx";

export interface ShownSecret {
  readonly secret: string;
  readonly webhookUrl: string;
}

/** Secrets of webhooks, this once: nothing keeps them after the dialog is closed. */
export const ShownSecrets = ({
  secrets,
  onClose,
}: {
  readonly secrets: readonly ShownSecret[];
  readonly onClose: () => void;
}) => (
  <OnceDialog
    title="Copy the secret now"
    values={secrets.flatMap(({ secret, webhookUrl }, at) => {
      const which = secrets.length === 1 ? "" : ` ${at + 1}`;
      return [
        { label: `Address${which}`, value: webhookUrl, isSecret: false },
        { label: `Secret${which}`, value: secret },
      ];
    })}
    onClose={onClose}
  >
    You won't be able to see it again. Anyone who has it can run the routine.
  </OnceDialog>
);
