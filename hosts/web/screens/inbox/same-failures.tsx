import { useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { type Entry, offers } from "./entry.ts";

/** The reason that failures have in common, and the actions on all of them at once. */
export const SameFailures = ({ entries }: { readonly entries: readonly Entry[] }) => {
  const say = useToasts();
  const retry = useWrite("runs.retry");
  const dismiss = useWrite("inbox.dismiss");
  const restore = useWrite("inbox.restore", { onRefused: say.refused });
  const [first] = entries;
  const retried = entries.filter((entry) => offers(entry, "retry"));
  const snoozed = entries.filter((entry) => entry.dismissible && entry.companyId !== null);
  /** Says what was done; a refusal of one leaves the others done. */
  const report = (results: readonly PromiseSettledResult<unknown>[], done: (count: number) => void) => {
    const count = results.filter(({ status }) => status === "fulfilled").length;
    if (count > 0) done(count);
    const refused = results.find((result) => result.status === "rejected");
    if (refused !== undefined) say.refused(refused.reason);
  };
  const retryAll = async () =>
    report(
      await Promise.allSettled(retried.map((entry) => retry.runAndWait({ runId: entry.subject.id }))),
      (count) => say.done(`${count} runs are retrying`),
    );
  const snoozeAll = async () =>
    report(
      await Promise.allSettled(
        snoozed.map(({ companyId, id, version }) =>
          dismiss.runAndWait({ companyId: companyId ?? "", entryId: id, version }),
        ),
      ),
      (count) =>
        say.done(`${count} entries snoozed until they change`, () => {
          for (const { companyId, id } of snoozed) restore.run({ companyId: companyId ?? "", entryId: id });
        }),
    );
  return (
    <>
      <p className="cut grow" title={first?.reason}>
        {entries.length} × {first?.reason}
      </p>
      {retried.length > 1 ? (
        <Button small busy={retry.busy} onClick={() => void retryAll()}>
          Retry all
        </Button>
      ) : null}
      {snoozed.length > 1 ? (
        <Button small kind="quiet" busy={dismiss.busy} onClick={() => void snoozeAll()}>
          Snooze all
        </Button>
      ) : null}
    </>
  );
};
