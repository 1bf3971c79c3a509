import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, TextArea, TextField } from "../../parts/field.tsx";
import { useKeys } from "../../parts/keys.tsx";
import type { Issue } from "./issue-screen.tsx";

/** Title and description. What somebody else has changed since the dialog opened is said before it is written over. */
export const EditIssue = ({ issue }: { readonly issue: Issue }) => {
  const [begun, setBegun] = useState<Issue | null>(null);
  useKeys([{ keys: "e", does: "Change title and description", run: () => setBegun(issue) }]);
  return (
    <>
      <Button icon="pencil" onClick={() => setBegun(issue)}>
        Edit
      </Button>
      {begun === null ? null : <EditDialog begun={begun} now={issue} onClose={() => setBegun(null)} />}
    </>
  );
};

interface EditDialogProps {
  /** The issue as it was when the dialog opened. */
  readonly begun: Issue;
  readonly now: Issue;
  readonly onClose: () => void;
}

const EditDialog = ({ begun, now, onClose }: EditDialogProps) => {
  const [title, setTitle] = useState(begun.title);
  const [description, setDescription] = useState(begun.description ?? "");
  const save = useWrite("issues.update", { onDone: onClose });
  const changedMeanwhile = now.title !== begun.title || now.description !== begun.description;
  return (
    <Dialog title={`Edit ${begun.identifier}`} onClose={onClose} wide>
      <Form
        label="Edit the issue"
        error={save.error}
        onSubmit={() =>
          save.run({
            issueId: begun.id,
            ...(title === begun.title ? {} : { title }),
            ...(description === (begun.description ?? "") ? {} : { description: description || null }),
          })
        }
      >
        {changedMeanwhile ? (
          <div className="issue-changed" role="status">
            <p>Somebody has changed this issue since you began. Saving replaces what they wrote.</p>
            <Button
              small
              onClick={() => {
                setTitle(now.title);
                setDescription(now.description ?? "");
              }}
            >
              Take theirs
            </Button>
          </div>
        ) : null}
        <TextField
          label="Title"
          name="title"
          required
          maxLength={500}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <TextArea
          label="Description"
          name="description"
          hint="Markdown."
          rows={12}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        <div className="form-actions">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="main" busy={save.busy}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
