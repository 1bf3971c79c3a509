import { Link } from "wouter";
import { isLive } from "../../../../core/model/runs/run-status.ts";
import { type RowOf, usePages, useWrite } from "../../live/calls.ts";
import type { Run } from "../../live/records.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { MentionArea } from "../../nouns/issues/mention-area.tsx";
import { Button } from "../../widgets/button.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { Form } from "../../widgets/field.tsx";
import { KeyName, useKeys } from "../../widgets/keys.tsx";
import { Time } from "../../widgets/time.tsx";

/** Messages of people to the run, below its transcript, and where the next one is written. */
export const RunMessages = ({ run }: { readonly run: Run }) => {
  const { rows: messages, more } = usePages("runs.messages", { runId: run.id });
  if (messages.length === 0 && !isLive(run.status)) return null;
  return (
    <section className="run-messages" aria-label="Messages">
      {messages.length === 0 ? null : (
        <ul>
          {messages.map((message) => (
            <RunMessage key={message.id} message={message} run={run} />
          ))}
        </ul>
      )}
      {more === null ? null : <Button onClick={more}>Show more</Button>}
      {isLive(run.status) && run.callerMay.say.allowed ? <MessageComposer run={run} /> : null}
    </section>
  );
};

type Message = RowOf<"runs.messages">;

const RunMessage = ({ message, run }: { readonly message: Message; readonly run: Run }) => {
  const here = useHere();
  const { body, authorName, createdAt, runId, nextRunId } = message;
  const other = nextRunId === run.id ? runId : nextRunId;
  return (
    <li>
      <span className="muted">
        {authorName ?? "A person"} · <Time at={createdAt} />
      </span>
      <span className="run-message">{body ?? "A comment on the issue."}</span>
      <span className="muted">{other === runId ? carriedOverText(message) : stateText(message)}</span>
      {other === null ? null : <Link href={here(`/runs/${other}`)}>Open the run</Link>}
    </li>
  );
};

const carriedOverText = ({ mayBeRepeated }: Message): string =>
  mayBeRepeated
    ? "Resent from an earlier run that was cut off; it may have been received already"
    : "Carried over from an earlier run";

const stateText = ({ state, deliveredAt, nextRunId }: Message): string => {
  switch (state) {
    case "sent":
      return "Sending";
    case "injected":
      return "Delivered";
    case "queued":
      return deliveredAt === null ? "Queued until this step ends" : "Delivered";
    case "new_run":
      return nextRunId === null ? "Left for the next run" : "In the prompt of the next run";
  }
};

const MessageComposer = ({ run }: { readonly run: Run }) => {
  const [text, setText] = useDraft(`message to ${run.id}`);
  const say = useWrite("runs.say", { onDone: () => setText("") });
  useKeys([
    {
      keys: "m",
      does: "Write a message",
      run: () => document.querySelector<HTMLElement>(".run-messages textarea")?.focus(),
    },
  ]);
  return (
    <Form
      label="Message to the run"
      error={say.error}
      onSubmit={() => say.run({ runId: run.id, body: text })}
    >
      <MentionArea
        label="Message"
        bare
        mentionable={[]}
        name="body"
        required
        placeholder={`Message ${run.agentName}`}
        value={text}
        onChange={setText}
      />
      <div className="row-wrap">
        <span className="muted grow">
          {run.takesMessages ? "Delivered while it works." : "Delivered with the next run."}
        </span>
        <span className="wide-only">
          <KeyName keys="mod+Enter" />
        </span>
        <Button type="submit" kind="main" busy={say.busy} disabled={text.trim() === ""}>
          Send
        </Button>
      </div>
    </Form>
  );
};
