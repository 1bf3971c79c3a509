import { useState } from "react";
import { mentionedAgents } from "../../../../core/model/issues/comments/mentions.ts";
import { wokenByComment } from "../../../../core/model/issues/comments/woken-by-comment.ts";
import { isClosed } from "../../../../core/model/issues/issue-status.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { CheckField, Form } from "../../widgets/field.tsx";
import { KeyName, useKeys } from "../../widgets/keys.tsx";
import { AttachingArea } from "./attaching-area.tsx";
import { useMentionable, useMentionablePeople } from "./comment-references.ts";

/** Where a comment is written. Its draft survives a reload; the form says whom it will wake. */
export const Composer = ({ issue }: { readonly issue: Issue }) => {
  const [text, setText] = useDraft(`comment on ${issue.id}`);
  const [reopen, setReopen] = useState(false);
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
  const wakes = useWakes(issue, text, closed && reopen);
  return (
    <div className="issue-composer">
      <Form
        label="Comment"
        error={comment.error}
        onSubmit={() =>
          comment.run({ issueId: issue.id, body: text, ...(closed && reopen ? { reopen } : {}) })
        }
      >
        <AttachingArea issue={issue} value={text} onChange={setText} />
        {closed ? (
          <CheckField label="Reopen issue" name="reopen" checked={reopen} onChange={setReopen} />
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

const list = new Intl.ListFormat("en");

/** Says by the core's rules whom a comment names or wakes, and which agents read it later. */
const useWakes = (issue: Issue, body: string, reopened: boolean): string => {
  const mentionable = useMentionable(issue.companyId);
  const people = useMentionablePeople(issue.companyId);
  const { companyId, assigneeAgentId } = issue;
  const woken = wokenByComment({
    issue: { assigneeAgentId, status: reopened ? "todo" : issue.status },
    body,
    authorAgentId: null,
    reopened,
    mentionable,
  }).map(({ agentId }) => agentId);
  const agents = useRead("agents.list", { companyId, callerMay: true }, { enabled: woken.length > 0 });
  const named = (agents.data ?? []).filter(({ id }) => woken.includes(id));
  // Longer names of agents win.
  const mentioned = mentionedAgents<string>(body, [...mentionable, ...people]);
  const personNames = people.filter(({ id }) => mentioned.includes(id)).map(({ name }) => name);
  if (woken.length + personNames.length === 0) return "No agent will be notified. Mention one with @.";
  // The issue knows more of its assignee: the budget of its project may be used up.
  const invokeOf = ({ id, callerMay }: (typeof named)[number]) =>
    id === assigneeAgentId && !isClosed(issue.status) ? issue.callerMay.invoke : callerMay?.invoke;
  const now = [
    ...named.filter((agent) => invokeOf(agent)?.allowed === true).map(({ name }) => name),
    ...personNames,
  ];
  const later = named.filter((agent) => invokeOf(agent)?.allowed === false);
  return [
    ...(now.length === 0 ? [] : [`${list.format(now)} will be notified.`]),
    ...later.map((agent) => `${agent.name} will read it when work resumes. ${invokeOf(agent)!.error}`),
  ].join(" ");
};
