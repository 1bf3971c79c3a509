import { useWrite } from "../../live/calls.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Problem } from "../../parts/field.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { type EntryProps, offers, pathOf } from "./entry.ts";

/** Accepts or rejects a confirmation. */
export const AnswerConfirmation = ({ entry, prefix }: EntryProps) => {
  const say = useToasts();
  const accept = useWrite("interactions.accept", { onDone: () => say.done("Accepted.") });
  const reject = useWrite("interactions.reject", { onDone: () => say.done("Rejected.") });
  const path = pathOf(entry, prefix);
  const interaction = { issueId: entry.issue?.id ?? "", interactionId: entry.subject.id };
  const error = accept.error ?? reject.error;
  return (
    <div className="inbox-actions">
      {error === null ? null : <Problem error={error} />}
      {offers(entry, "accept") ? (
        <Button kind="main" small busy={accept.busy} onClick={() => accept.run(interaction)}>
          Accept
        </Button>
      ) : null}
      {offers(entry, "reject") ? (
        <Button small busy={reject.busy} onClick={() => reject.run(interaction)}>
          Reject
        </Button>
      ) : null}
      {path === null ? null : (
        <LinkButton small to={path}>
          Read
        </LinkButton>
      )}
    </div>
  );
};
