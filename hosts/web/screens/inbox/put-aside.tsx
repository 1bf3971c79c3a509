import { useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { KeyedButton } from "../../widgets/keyed-button.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { type Entry, offers } from "./entry.ts";

/** Puts an entry aside until it changes, brings it back, or ends watching its issue. */
export const PutAside = ({
  entry,
  isDismissed,
}: {
  readonly entry: Entry;
  readonly isDismissed: boolean;
}) => {
  const say = useToasts();
  const unwatch = useWrite("watchers.unwatch", {
    onDone: (_, { issueId }) =>
      say.done("Unsubscribed", () => watch.run({ issueId, seenUntil: entry.waitingSince })),
    onRefused: say.refused,
  });
  const watch = useWrite("watchers.watch", { onRefused: say.refused });
  const restore = useWrite("inbox.restore", {
    onDone: () => say.done("Back in your inbox"),
    onRefused: say.refused,
  });
  const undo = useWrite("inbox.restore", { onRefused: say.refused });
  const dismiss = useWrite("inbox.dismiss", {
    onDone: (_, { companyId, entryId }) =>
      say.done("Snoozed until it changes", () => undo.run({ companyId, entryId })),
    onRefused: say.refused,
  });
  const { companyId, id: entryId, version } = entry;
  if (!entry.dismissible || companyId === null) return null;
  if (isDismissed)
    return (
      <Button small busy={restore.busy} onClick={() => restore.run({ companyId, entryId })}>
        Unsnooze
      </Button>
    );
  return (
    <>
      <KeyedButton
        small
        action="dismiss"
        title="Until it changes (D)"
        busy={dismiss.busy}
        onClick={() => dismiss.run({ companyId, entryId, version })}
      >
        Snooze
      </KeyedButton>
      {offers(entry, "unwatch") ? (
        <Button small busy={unwatch.busy} onClick={() => unwatch.run({ issueId: entry.subject.id })}>
          Unsubscribe
        </Button>
      ) : null}
    </>
  );
};
