import { useEffect, useRef, useState } from "react";
import { useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { Form, TextField } from "../../widgets/field.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

interface IssueTitleProps {
  readonly issue: Issue;
  readonly mayChange: boolean;
  /** It is in view, or no longer. */
  readonly onSeen: (isSeen: boolean) => void;
}

/** The title of an issue, changed where it stands; what somebody else wrote meanwhile is not written over. */
export const IssueTitle = ({ issue, mayChange, onSeen }: IssueTitleProps) => {
  const say = useToasts();
  const [typed, setTyped] = useState<string | null>(null);
  const save = useWrite("issues.update");
  const heading = useRef<HTMLDivElement>(null);
  const isTyping = typed !== null;
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => onSeen(entry!.isIntersecting));
    observer.observe(heading.current!);
    return () => observer.disconnect();
  }, [onSeen, isTyping]);
  const close = () => {
    setTyped(null);
    save.reset();
  };
  if (typed === null)
    return (
      <div ref={heading} className="issue-title issue-chosen">
        <h2 className="grow">{issue.title}</h2>
        {mayChange ? (
          <IconButton icon="pencil" small label="Edit title" onClick={() => setTyped(issue.title)} />
        ) : null}
      </div>
    );
  const rename = () => {
    const before = issue.title;
    if (typed.trim() === "" || typed === before) return close();
    save.run(
      { issueId: issue.id, title: typed, expectedUpdatedAt: issue.updatedAt },
      {
        onSuccess: () => {
          close();
          say.done("Title updated", () => save.run({ issueId: issue.id, title: before }));
        },
      },
    );
  };
  return (
    <div ref={heading} className="issue-title">
      <Form label="Title" error={save.error} onSubmit={rename}>
        <TextField
          bare
          label="Title"
          name="title"
          required
          maxLength={500}
          // It replaces the button that was pressed.
          focuses
          value={typed}
          onChange={setTyped}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            close();
          }}
        />
        <div className="form-actions">
          <Button small onClick={close}>
            Close
          </Button>
          <Button small type="submit" kind="main" busy={save.busy}>
            Save
          </Button>
        </div>
      </Form>
    </div>
  );
};
