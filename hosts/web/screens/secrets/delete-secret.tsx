import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Usage = AnswerOf<"secrets.usage">;

/** Everything that will miss the secret, with the effect on it. */
const usersOf = ({ bindings, repositories, mcpServers }: Usage) => [
  {
    effect: "Runs of these agents will fail to start:",
    names: bindings.map(({ agentName, configPath }) => [agentName, configPath] as const),
  },
  {
    effect: "These repositories can't be fetched or merged any more, or lose their webhook:",
    names: repositories.map(({ url }) => [url, ""] as const),
  },
  {
    effect: "Runs will start without these MCP servers:",
    names: mcpServers.map(({ name }) => [name, ""] as const),
  },
];

/** Asks before a secret is lost, and names what will miss it. */
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
  const users = usage.data === undefined ? [] : usersOf(usage.data).filter(({ names }) => names.length > 0);
  return (
    <ConfirmDialog
      title={`Delete ${secret.name}?`}
      verb="Delete"
      busy={remove.busy || usage.isPending}
      // Only what was shown here is forced.
      onConfirm={() => remove.run({ secretId: secret.id, ...(users.length > 0 ? { force: true } : {}) })}
      onClose={onClose}
    >
      <div className="stack">
        <p>
          Its value is lost{secret.latestVersion > 1 ? ` in all ${secret.latestVersion} versions` : ""}, and
          cannot be brought back.
          {secret.provider === "local_encrypted" ? "" : " The provider keeps its copy."}
        </p>
        {users.map(({ effect, names }) => (
          <div key={effect}>
            <p>{effect}</p>
            <ul className="secrets-list">
              {names.map(([name, detail]) => (
                <li key={`${name} ${detail}`}>
                  {name} <code className="muted">{detail}</code>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {remove.error === null ? null : <Problem error={remove.error} />}
      </div>
    </ConfirmDialog>
  );
};
