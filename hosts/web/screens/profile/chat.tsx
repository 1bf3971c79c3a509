import { useState } from "react";
import { type ChatFormat, chatFormats } from "../../../../core/model/events/event-format.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import { formatNames } from "../../nouns/events/format-names.ts";
import { boundTo } from "../../widgets/bound.ts";
import { Button } from "../../widgets/button.tsx";
import { Form, Problem, SelectField, TextField } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** The chat where the person gets notices. */
export const Chat = () => {
  const say = useToasts();
  const chat = useRead("session.showChat", {});
  const remove = useWrite("session.removeChat", { onDone: () => say.done("Chat removed") });
  const { data } = chat;
  if (chat.error !== null) return <Problem error={chat.error} />;
  if (data === undefined) return null;
  return (
    <Section title="Chat">
      <p className="muted">
        {data === null ? (
          "No chat yet. You won't get notices in Slack, Discord, Microsoft Teams or Mattermost."
        ) : (
          <>
            {`Notices go to ${formatNames[data.format]} at ${data.url}`}
            {data.lastUsedAt === null ? null : (
              <>
                {" · last notice "}
                <Time at={data.lastUsedAt} />
              </>
            )}
            {data.lastError === null ? "." : ` · last attempt failed: ${data.lastError}`}
          </>
        )}
      </p>
      {remove.error === null ? null : <Problem error={remove.error} />}
      <ChatForm />
      {data === null ? null : (
        <div className="form-actions">
          <Button kind="danger" busy={remove.busy} onClick={() => remove.run({})}>
            Remove chat
          </Button>
        </div>
      )}
    </Section>
  );
};

const ChatForm = () => {
  const say = useToasts();
  const [draft, setDraft] = useState({ format: "slack" as ChatFormat, url: "" });
  const set = (change: Partial<typeof draft>) => setDraft((before) => ({ ...before, ...change }));
  const save = useWrite("session.setChat", {
    onDone: () => {
      set({ url: "" });
      say.done("Chat saved");
    },
  });
  return (
    <Form
      label="Chat"
      error={save.error}
      onSubmit={() => save.run({ format: draft.format, url: draft.url.trim() })}
    >
      <SelectField
        label="Chat program"
        name="format"
        value={draft.format}
        onChange={(format) => set({ format })}
        options={chatFormats.map((value) => ({ value, label: formatNames[value] }))}
      />
      <TextField
        label="Incoming webhook URL"
        required
        type="url"
        hint="Use a channel that only you can read. You won't see the URL again."
        {...boundTo(draft, set).value("url")}
      />
      <div className="form-actions">
        <Button type="submit" busy={save.busy}>
          Save chat
        </Button>
      </div>
    </Form>
  );
};
