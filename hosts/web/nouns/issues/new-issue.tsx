import { useState } from "react";
import { useLocation } from "wouter";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { useDraft } from "../../widgets/drafts.ts";
import { CheckField, TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { useCompany, useHere } from "../companies/company.tsx";
import { type NewIssueFields, NewIssueProperties } from "./new-issue-properties.tsx";

interface NewIssueProps {
  readonly title?: string;
  /** The fields that it begins with, such as its parent. */
  readonly begun?: NewIssueFields;
  /** Without it, the new issue is shown. */
  readonly onMade?: (issue: AnswerOf<"issues.create">) => void;
  readonly onClose: () => void;
}

/** The fields that are chosen, before any choice. */
const unchosen = {
  priority: "medium",
  assigneeAgentId: null,
  assigneeUserId: null,
  projectId: null,
  goalId: null,
  parentId: null,
} as const;

export const NewIssue = ({ title: heading = "New issue", begun = {}, onMade, onClose }: NewIssueProps) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const draft = `a new issue of ${companyId}${begun.parentId ?? ""}`;
  const [title, setTitle] = useDraft(`title of ${draft}`);
  const [description, setDescription] = useDraft(`description of ${draft}`);
  const [fields, setFields] = useState<NewIssueFields>({ ...unchosen, ...begun });
  const [labelIds, setLabelIds] = useState<readonly string[]>([]);
  const [isAnother, setAnother] = useState(false);
  /** Counts the issues that were made: the form begins anew with each. */
  const [made, setMade] = useState(0);
  const create = useWrite("issues.create", {
    onDone: (issue) => {
      const { identifier, assigneeAgentId } = issue;
      setTitle("");
      setDescription("");
      if (isAnother) setMade(made + 1);
      else onClose();
      if (onMade !== undefined) onMade(issue);
      else if (!isAnother) go(here(`/issues/${identifier}`));
      say.done(`${identifier} created${assigneeAgentId === null ? "" : "; the assignee is starting"}.`);
    },
  });
  return (
    <FormDialog
      title={heading}
      verb="Create issue"
      wide
      write={create}
      onSubmit={() =>
        create.run({
          companyId,
          title,
          ...(description.trim() === "" ? {} : { description }),
          ...(labelIds.length === 0 ? {} : { labelIds: [...labelIds] }),
          ...(Object.fromEntries(
            Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
          ) as NewIssueFields),
        })
      }
      onClose={onClose}
    >
      <TextField
        key={made}
        label="Title"
        name="title"
        required
        maxLength={500}
        focuses={made > 0}
        value={title}
        onChange={setTitle}
      />
      <TextArea
        label="Description"
        name="description"
        hint="Markdown. Describe the task and how to check that it is done."
        rows={5}
        value={description}
        onChange={setDescription}
      />
      <NewIssueProperties
        fields={fields}
        onChange={(changes) => setFields({ ...fields, ...changes })}
        labelIds={labelIds}
        onLabels={setLabelIds}
      />
      <CheckField label="Create another" name="another" checked={isAnother} onChange={setAnother} />
    </FormDialog>
  );
};
