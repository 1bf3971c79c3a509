import { useState } from "react";
import { BoardroomError } from "../../../library/client-error.ts";
import { type InputOf, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { Diff } from "../../widgets/diff.tsx";
import { TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";

type Texts = Pick<Issue, "title" | "description">;

const areSame = (one: Texts, other: Texts): boolean =>
  one.title === other.title && (one.description ?? "") === (other.description ?? "");

const asText = ({ title, description }: Texts): string => `${title}\n\n${description ?? ""}`;

interface EditDialogProps {
  /** The issue as it was when the dialog opened. */
  readonly begun: Issue;
  readonly now: Issue;
  readonly onClose: () => void;
}

/** Title and description. What somebody else has changed meanwhile is shown, and not written over unread. */
export const EditDialog = ({ begun, now, onClose }: EditDialogProps) => {
  const [title, setTitle] = useState(begun.title);
  const [description, setDescription] = useState(begun.description ?? "");
  /** The state of the issue that this person has read. */
  const [seen, setSeen] = useState<Issue>(begun);
  const isChanged = !areSame(now, seen);
  const save = useWrite("issues.update", {
    onDone: onClose,
    onRefused: (error, input) => {
      const present =
        error instanceof BoardroomError && error.code === "issue_changed" ? error.details : null;
      // Something else of the issue has changed, such as its status: these texts are still what was read.
      if (isPresent(present) && areSame(present, seen))
        save.run({ ...input, expectedUpdatedAt: present.updatedAt });
    },
  });
  const changes: Omit<InputOf<"issues.update">, "issueId"> = {
    ...(title === seen.title ? {} : { title }),
    ...(description === (seen.description ?? "") ? {} : { description: description || null }),
  };
  return (
    <FormDialog
      title={`Edit ${begun.identifier}`}
      verb="Save"
      wide
      write={save}
      disabled={isChanged}
      onSubmit={() => save.run({ issueId: begun.id, ...changes, expectedUpdatedAt: now.updatedAt })}
      onClose={onClose}
    >
      {isChanged ? (
        <div className="issue-changed" role="status">
          <p>This issue was changed while you were editing:</p>
          <Diff before={asText(seen)} after={asText(now)} />
          <div className="row-wrap">
            <Button
              small
              onClick={() => {
                setTitle(now.title);
                setDescription(now.description ?? "");
                setSeen(now);
              }}
            >
              Use theirs
            </Button>
            <Button small onClick={() => setSeen(now)}>
              Keep mine
            </Button>
          </div>
        </div>
      ) : null}
      <TextField label="Title" name="title" required maxLength={500} value={title} onChange={setTitle} />
      <TextArea
        label="Description"
        name="description"
        hint="Supports Markdown."
        rows={12}
        value={description}
        onChange={setDescription}
      />
    </FormDialog>
  );
};

const isPresent = (details: unknown): details is Texts & { readonly updatedAt: string } =>
  typeof details === "object" && details !== null && "updatedAt" in details && "title" in details;
