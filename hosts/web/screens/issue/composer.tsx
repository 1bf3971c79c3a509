import { useState } from "react";
import { takesWork } from "../../../../core/agents/takes-work.ts";
import { isClosed } from "../../../../core/issues/issue-status.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/drafts.ts";
import { CheckField, Form } from "../../parts/field.tsx";
import { KeyName, useKeys } from "../../parts/keys.tsx";
import { MentionArea } from "../../parts/mention-area.tsx";
import { useNames } from "../../parts/names.ts";

/** Where a comment is written. Its draft survives a reload; the form says whom it will wake. */
export const Composer = ({ issue }: { readonly issue: Issue }) => {
  const [text, setText] = useDraft(`comment on ${issue.id}`);
  const [reopen, setReopen] = useState(false);
  const nameOf = useNames();
  const { data: agents = [] } = useRead("agents.list", { companyId: issue.companyId });
  const closed = isClosed(issue.status);
  const comment = useWrite("issues.comment", {
    onDone: () => {
      setText("");
      setReopen(false);
    },
  });
  useKeys([
    {
      keys: "r",
      does: "Write a comment",
      run: () => document.querySelector<HTMLElement>(".issue-composer textarea")?.focus(),
    },
  ]);
  const { invoke } = issue.callerMay;
  const assignee = issue.assigneeAgentId === null ? null : nameOf(issue.assigneeAgentId);
  const wakes =
    assignee === null || assignee.status === "terminated" || (closed && !reopen)
      ? "Wakes only agents that it mentions."
      : invoke.allowed
        ? `Wakes ${assignee.name}, and every agent that it mentions.`
        : `${assignee.name} reads it when its work continues. ${invoke.error}`;
  return (
    <div className="issue-composer">
      <Form
        label="Comment"
        error={comment.error}
        onSubmit={() =>
          comment.run({ issueId: issue.id, body: text, ...(closed && reopen ? { reopen } : {}) })
        }
      >
        <MentionArea
          label="Comment"
          bare
          agents={agents.filter(({ status }) => takesWork(status))}
          name="body"
          required
          placeholder="Write a comment. @name wakes an agent."
          value={text}
          onChange={setText}
        />
        {closed ? (
          <CheckField label="Take the issue up again" name="reopen" checked={reopen} onChange={setReopen} />
        ) : null}
        <div className="row-wrap">
          <span className="muted grow">{wakes}</span>
          <span className="wide-only">
            <KeyName keys="mod+Enter" />
          </span>
          <Button type="submit" kind="main" busy={comment.busy} disabled={text.trim() === ""}>
            Comment
          </Button>
        </div>
      </Form>
    </div>
  );
};
