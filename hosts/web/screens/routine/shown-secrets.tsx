import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";

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
  <Dialog title="Copy the secret now" onClose={onClose}>
    <p>It is shown this once. Anybody who has it can fire the routine.</p>
    {secrets.map(({ secret, webhookUrl }) => (
      <dl key={webhookUrl} className="routine-secret">
        <dt className="muted">Address</dt>
        <dd>
          <code>{webhookUrl}</code>
        </dd>
        <dt className="muted">Secret</dt>
        <dd className="row">
          <code className="grow">{secret}</code>
          <Button small icon="copy" onClick={() => void navigator.clipboard?.writeText(secret)}>
            Copy
          </Button>
        </dd>
      </dl>
    ))}
    <div className="form-actions">
      <Button kind="main" onClick={onClose}>
        I have it
      </Button>
    </div>
  </Dialog>
);
