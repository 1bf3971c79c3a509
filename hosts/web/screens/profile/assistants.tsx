import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { scopeLabels } from "../../nouns/access/scope-labels.ts";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Assistant = AnswerOf<"assistants.list">[number];

/** The programs that the person has allowed to act for them. */
export const Assistants = () => {
  const say = useToasts();
  const assistants = useRead("assistants.list", {});
  const [ending, setEnding] = useState<Assistant | null>(null);
  const disconnect = useWrite("assistants.disconnect", { onDone: () => say.done("Assistant disconnected") });
  const error = assistants.error ?? disconnect.error;
  return (
    <Section title="Assistants">
      <p className="muted">
        Claude, ChatGPT and other assistants can act for you. Add this address to one as an MCP server:{" "}
        <code>{new URL("mcp", document.baseURI).href}</code>
      </p>
      {error === null ? null : <Problem error={error} />}
      <ul className="plain-list">
        {assistants.data?.map((each) => (
          <li key={each.id} className="row list-row">
            <span className="grow">
              {each.name}
              <span className="faint">
                {` · ${each.host} · ${each.scopes.map((scope) => scopeLabels[scope].label).join(", ")} · connected `}
                <Time at={each.createdAt} />
                {each.lastUsedAt === null ? null : (
                  <>
                    {" · last used "}
                    <Time at={each.lastUsedAt} />
                  </>
                )}
              </span>
            </span>
            <Button
              small
              kind="danger"
              aria-label={`Disconnect ${each.name}`}
              onClick={() => setEnding(each)}
            >
              Disconnect
            </Button>
          </li>
        ))}
      </ul>
      {ending === null ? null : (
        <ConfirmDialog
          title={`Disconnect ${ending.name}?`}
          verb="Disconnect"
          busy={disconnect.busy}
          onConfirm={() => {
            const close = () => setEnding(null);
            disconnect.runAndWait({ assistantId: ending.id }).then(close, close);
          }}
          onClose={() => setEnding(null)}
        >
          It can't act for you anymore. You can connect it again.
        </ConfirmDialog>
      )}
    </Section>
  );
};
