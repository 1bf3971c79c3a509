import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** Asks before a secret is lost, and names the agents that will miss it. */
export const DeleteSecret = ({
  secret,
  onClose,
}: {
  readonly secret: AnswerOf<"secrets.list">[number];
  readonly onClose: () => void;
}) => {
  const say = useToasts();
  const remove = useWrite("secrets.delete", {
    onDone: () => {
      onClose();
      say.done(`${secret.name} deleted`);
    },
  });
  // News of the deletion can overtake its answer; then there is no secret to ask about.
  const usage = useRead("secrets.usage", { secretId: secret.id }, { enabled: !remove.busy });
  const bindings = usage.data?.bindings ?? [];
  return (
    <ConfirmDialog
      title={`Delete ${secret.name}?`}
      verb="Delete"
      busy={remove.busy || usage.isPending}
      // Only what was shown here is forced.
      onConfirm={() => remove.run({ secretId: secret.id, ...(bindings.length > 0 ? { force: true } : {}) })}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          Its value is lost{secret.latestVersion > 1 ? ` in all ${secret.latestVersion} versions` : ""}, and
          cannot be brought back.
          {secret.provider === "local_encrypted" ? "" : " The provider keeps its copy."}
        </p>
        {bindings.length === 0 ? null : (
          <div>
            <p>Runs of these agents will fail to start:</p>
            <ul className="secrets-list">
              {bindings.map(({ agentId, agentName, configPath }) => (
                <li key={`${agentId} ${configPath}`}>
                  {agentName} <code className="muted">{configPath}</code>
                </li>
              ))}
            </ul>
          </div>
        )}
        {remove.error === null ? null : <Problem error={remove.error} />}
      </div>
    </ConfirmDialog>
  );
};
