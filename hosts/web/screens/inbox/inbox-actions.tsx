import { useState } from "react";
import { useLocation } from "wouter";
import { useWrite } from "../../live/calls.ts";
import { Button, LinkButton } from "../../parts/button.tsx";
import { Problem, TextArea } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { type Entry, pathOf } from "./entry-path.ts";

interface Props {
  readonly entry: Entry;
  readonly prefix: string | undefined;
}

/** Whether the service would take the action now. */
const offers = (entry: Entry, action: Entry["actions"][number]): boolean => entry.actions.includes(action);

/** The actions on an entry, where it stands. */
export const InboxActions = ({ entry, prefix }: Props) => {
  switch (entry.kind) {
    case "approval":
      return <Decide entry={entry} prefix={prefix} />;
    case "confirmation":
      return <Confirm entry={entry} prefix={prefix} />;
    case "review":
      return <Review entry={entry} prefix={prefix} />;
    default:
      return <Other entry={entry} prefix={prefix} />;
  }
};

const Decide = ({ entry, prefix }: Props) => {
  const say = useToasts();
  const [asking, setAsking] = useState<"reject" | "requestRevision" | null>(null);
  const done = (word: string) => () => {
    setAsking(null);
    say.done(`${entry.subject.title}: ${word}.`);
  };
  const approve = useWrite("approvals.approve", { onDone: done("approved") });
  const path = pathOf(entry, prefix);
  // An owner is chosen where the candidates are shown.
  const needsChoice = approve.error !== null;
  return (
    <div className="inbox-actions">
      {needsChoice ? <Problem error={approve.error} /> : null}
      {needsChoice && path !== null ? (
        <LinkButton to={path}>Open</LinkButton>
      ) : !offers(entry, "approve") ? null : (
        <Button
          kind="main"
          small
          busy={approve.busy}
          onClick={() =>
            approve.run({ approvalId: entry.subject.id, payloadRevision: entry.payloadRevision ?? undefined })
          }
        >
          Approve
        </Button>
      )}
      {offers(entry, "request_revision") ? (
        <Button small onClick={() => setAsking("requestRevision")}>
          Ask for changes
        </Button>
      ) : null}
      {offers(entry, "reject") ? (
        <Button small onClick={() => setAsking("reject")}>
          Reject
        </Button>
      ) : null}
      {asking === null ? null : (
        <NoteDialog entry={entry} decision={asking} onClose={() => setAsking(null)} onDone={done} />
      )}
    </div>
  );
};

interface NoteProps {
  readonly entry: Entry;
  readonly decision: "reject" | "requestRevision";
  readonly onClose: () => void;
  readonly onDone: (word: string) => () => void;
}

const NoteDialog = ({ entry, decision, onClose, onDone }: NoteProps) => {
  const [note, setNote] = useState("");
  const reject = useWrite("approvals.reject", { onDone: onDone("rejected") });
  const revise = useWrite("approvals.requestRevision", { onDone: onDone("changes asked for") });
  const write = decision === "reject" ? reject : revise;
  const verb = decision === "reject" ? "Reject" : "Ask for changes";
  return (
    <FormDialog
      title={`${verb}: ${entry.subject.title}`}
      verb={verb}
      kind={decision === "reject" ? "danger" : "main"}
      write={write}
      onSubmit={() =>
        write.run({
          approvalId: entry.subject.id,
          payloadRevision: entry.payloadRevision ?? undefined,
          ...(note.trim() === "" ? {} : { decisionNote: note }),
        })
      }
      onClose={onClose}
    >
      <TextArea
        label="Note"
        name="decisionNote"
        hint={entry.agent === null ? undefined : `${entry.agent.name} is woken and reads it.`}
        required={decision === "requestRevision"}
        value={note}
        onChange={setNote}
      />
    </FormDialog>
  );
};

const Confirm = ({ entry, prefix }: Props) => {
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

const Review = ({ entry, prefix }: Props) => {
  const say = useToasts();
  const [isReturning, setReturning] = useState(false);
  const issueId = entry.issue?.id ?? "";
  const named = entry.issue?.identifier;
  const finish = useWrite("issues.update", { onDone: () => say.done(`${named} is done.`) });
  const path = pathOf(entry, prefix);
  return (
    <div className="inbox-actions">
      {finish.error === null ? null : <Problem error={finish.error} />}
      {offers(entry, "finish") ? (
        <Button kind="main" small busy={finish.busy} onClick={() => finish.run({ issueId, status: "done" })}>
          Done
        </Button>
      ) : null}
      {entry.agent === null || !offers(entry, "send_back") ? null : (
        <Button small onClick={() => setReturning(true)}>
          Send back
        </Button>
      )}
      {path === null ? null : (
        <LinkButton small to={path}>
          Read
        </LinkButton>
      )}
      {isReturning ? <SendBack entry={entry} onClose={() => setReturning(false)} /> : null}
    </div>
  );
};

/** Gives the issue to the agent that asked for the review, with a comment. */
const SendBack = ({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) => {
  const [comment, setComment] = useState("");
  const say = useToasts();
  const send = useWrite("issues.update", {
    onDone: () => {
      onClose();
      say.done(`${entry.agent?.name} has ${entry.issue?.identifier} again.`);
    },
  });
  return (
    <FormDialog
      title={`Send back: ${entry.subject.title}`}
      verb="Send back"
      write={send}
      onSubmit={() =>
        send.run({
          issueId: entry.issue?.id ?? "",
          status: "todo",
          assigneeAgentId: entry.agent?.id ?? null,
          comment,
        })
      }
      onClose={onClose}
    >
      <TextArea
        label="Comment"
        name="comment"
        required
        hint={`${entry.agent?.name} is woken and reads it.`}
        value={comment}
        onChange={setComment}
      />
    </FormDialog>
  );
};

interface Main {
  readonly verb: string;
  readonly run: () => void;
}

/** One main action, and putting aside what may be put aside. */
const Other = ({ entry, prefix }: Props) => {
  const [, go] = useLocation();
  const say = useToasts();
  const path = pathOf(entry, prefix);
  const invoke = useWrite("agents.invoke", { onDone: () => say.done(`${entry.agent?.name} is woken.`) });
  const retry = useWrite("runs.retry", { onDone: () => say.done(`${entry.agent?.name} tries again.`) });
  const resume = useWrite("agents.resume", { onDone: () => say.done(`${entry.agent?.name} is resumed.`) });
  const check = useWrite("vaults.checkHealth", { onDone: ({ message }) => say.done(message) });
  const reload = useWrite("adapters.reload", { onDone: () => say.done("The adapter is read again.") });
  const unwatch = useWrite("watchers.unwatch", {
    onDone: (_, { issueId }) =>
      say.done("You no longer watch it.", () => watch.run({ issueId, seenUntil: entry.waitingSince })),
    onRefused: say.refused,
  });
  const watch = useWrite("watchers.watch", { onRefused: say.refused });
  const restore = useWrite("inbox.restore", { onRefused: say.refused });
  const dismiss = useWrite("inbox.dismiss", {
    onDone: (_, { companyId, entryId }) =>
      say.done("Put aside until it changes.", () => restore.run({ companyId, entryId })),
  });
  const error = invoke.error ?? retry.error ?? resume.error ?? check.error ?? reload.error ?? dismiss.error;
  const busy = invoke.busy || retry.busy || resume.busy || check.busy || reload.busy;
  const agentId = entry.agent?.id;
  const about = entry.issue === null ? {} : { issueId: entry.issue.id };
  const there = (verb: string) => (path === null ? null : { verb, run: () => go(path) });
  /** The actions that have a button; the others are taken where the subject is shown. */
  const buttons: Readonly<Partial<Record<Entry["actions"][number], Main | null>>> = {
    retry: { verb: "Retry", run: () => retry.run({ runId: entry.subject.id }) },
    resume: agentId === undefined ? null : { verb: "Resume", run: () => resume.run({ agentId }) },
    invoke:
      agentId === undefined ? null : { verb: "Wake the agent", run: () => invoke.run({ agentId, ...about }) },
    check_health: { verb: "Check again", run: () => check.run({ vaultId: entry.subject.id }) },
    reload_adapter: { verb: "Reload", run: () => reload.run({ adapterType: entry.subject.id }) },
    raise_budget: there("Change the budget"),
    respond: there("Answer"),
    accept: there("Choose"),
  };
  const main =
    entry.actions.map((action) => buttons[action] ?? null).find((each) => each !== null) ?? there("Open");
  const { companyId } = entry;
  return (
    <div className="inbox-actions">
      {error === null ? null : <Problem error={error} />}
      {main === null ? null : (
        <Button small busy={busy} onClick={main.run}>
          {main.verb}
        </Button>
      )}
      {entry.dismissible && companyId !== null ? (
        <Menu
          label="More"
          align="end"
          className="button quiet small"
          button="…"
          items={[
            ...(path === null ? [] : [{ label: "Open", run: () => go(path) }]),
            {
              label: "Put aside",
              hint: "until it changes",
              run: () => dismiss.run({ companyId, entryId: entry.id, version: entry.version }),
            },
            ...(offers(entry, "unwatch")
              ? [{ label: "Stop watching", run: () => unwatch.run({ issueId: entry.subject.id }) }]
              : []),
          ]}
        />
      ) : null}
    </div>
  );
};
