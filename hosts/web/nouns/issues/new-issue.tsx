import { useState } from "react";
import { useLocation } from "wouter";
import { type AnswerOf, type InputOf, useRead, useWrite } from "../../live/calls.ts";
import { IconButton } from "../../widgets/button.tsx";
import { Combobox } from "../../widgets/combobox.tsx";
import { useDraft } from "../../widgets/drafts.ts";
import { Field, SelectField, TextArea, TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { useCompany, useHere } from "../companies/company.tsx";
import type { Changeable } from "./change-issues.ts";
import { type IssueField, useIssueFields } from "./issue-fields.tsx";
import { LabelDot, LabelName } from "./label-dot.tsx";

type Fields = Omit<InputOf<"issues.create">, "companyId" | "title" | "description">;

interface NewIssueProps {
  readonly title?: string;
  /** The fields that it begins with, such as its parent. */
  readonly begun?: Fields;
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

const hints: Readonly<Record<string, string>> = {
  assigneeAgentId: "Agents start right away. Unassigned issues go to the backlog.",
};

export const NewIssue = ({ title: heading = "New issue", begun = {}, onMade, onClose }: NewIssueProps) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const fields = useIssueFields(companyId).filter(({ name }) => name !== "status");
  const draft = `a new issue of ${companyId}${begun.parentId ?? ""}`;
  const [title, setTitle] = useDraft(`title of ${draft}`);
  const [description, setDescription] = useDraft(`description of ${draft}`);
  const [chosen, setChosen] = useState<Fields>({ ...unchosen, ...begun });
  const [labelIds, setLabelIds] = useState<readonly string[]>([]);
  const create = useWrite("issues.create", {
    onDone: (made) => {
      const { identifier, assigneeAgentId } = made;
      setTitle("");
      setDescription("");
      onClose();
      if (onMade === undefined) go(here(`/issues/${identifier}`));
      else onMade(made);
      say.done(`${identifier} created${assigneeAgentId === null ? "" : "; the assignee is starting"}.`);
    },
  });
  return (
    <FormDialog
      title={heading}
      verb="Create issue"
      write={create}
      onSubmit={() =>
        create.run({
          companyId,
          title,
          ...(description.trim() === "" ? {} : { description }),
          ...(labelIds.length === 0 ? {} : { labelIds: [...labelIds] }),
          ...(Object.fromEntries(
            Object.entries(chosen).filter(([, value]) => value !== null && value !== undefined),
          ) as Fields),
        })
      }
      onClose={onClose}
    >
      <TextField label="Title" name="title" required maxLength={500} value={title} onChange={setTitle} />
      <TextArea
        label="Description"
        name="description"
        hint="Markdown. Describe the task and how to check that it is done."
        rows={5}
        value={description}
        onChange={setDescription}
      />
      {fields.map((field) => (
        <ChosenField
          key={field.name}
          field={field}
          issue={{ id: "", companyId, identifier: "", status: "backlog", ...chosen } as Changeable}
          onChange={(changes) => setChosen({ ...chosen, ...changes })}
        />
      ))}
      <LabelsField chosen={labelIds} onChange={setLabelIds} />
    </FormDialog>
  );
};

interface LabelsFieldProps {
  readonly chosen: readonly string[];
  readonly onChange: (labelIds: readonly string[]) => void;
}

/** Adds labels of the company one by one; nothing where it has none. */
const LabelsField = ({ chosen, onChange }: LabelsFieldProps) => {
  const { id: companyId } = useCompany();
  const { data: known = [] } = useRead("labels.list", { companyId });
  if (known.length === 0) return null;
  const isChosen = ({ id }: { readonly id: string }) => chosen.includes(id);
  return (
    <Field label="Labels" name="labelIds">
      {({ id }) => (
        <>
          <Combobox
            id={id}
            label="Labels"
            options={known
              .filter((each) => !isChosen(each))
              .map((label) => ({ value: label.id, label: label.name, shown: <LabelName {...label} /> }))}
            value={null}
            onChange={(added) => (added === null ? undefined : onChange([...chosen, added]))}
            placeholder={chosen.length === 0 ? "No label" : "Add a label"}
          />
          {chosen.length === 0 ? null : (
            <ul className="plain-list row-wrap">
              {known.filter(isChosen).map((label) => (
                <li key={label.id} className="row">
                  <LabelDot color={label.color} />
                  {label.name}
                  <IconButton
                    icon="x"
                    small
                    label={`Remove the label ${label.name}`}
                    onClick={() => onChange(chosen.filter((each) => each !== label.id))}
                  />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Field>
  );
};

/** The field of a new issue, from its declaration. */
const ChosenField = ({
  field: { label, name, choices },
  issue,
  onChange,
}: {
  readonly field: IssueField;
  readonly issue: Changeable;
  readonly onChange: (changes: IssueField["choices"][number]["changes"]) => void;
}) => {
  const at = choices.findIndex(({ isOf }) => isOf(issue));
  const choose = (chosen: string | null) => onChange(choices[Number(chosen ?? 0)]!.changes);
  if (name === "priority")
    return (
      <SelectField
        label={label}
        name={name}
        options={choices.map(({ label: to }, index) => ({ value: String(index), label: to }))}
        value={String(at)}
        onChange={choose}
      />
    );
  const [nothing] = choices;
  return (
    <Field label={label} name={name} {...(hints[name] === undefined ? {} : { hint: hints[name] })}>
      {({ id }) => (
        <Combobox
          id={id}
          label={label}
          options={choices.slice(1).map(({ label: to, mark }, index) => ({
            value: String(index + 1),
            label: to,
            ...(mark === undefined
              ? {}
              : {
                  shown: (
                    <span className="row">
                      {mark} {to}
                    </span>
                  ),
                }),
          }))}
          value={at > 0 ? String(at) : null}
          onChange={choose}
          placeholder={nothing!.label}
          clearable
        />
      )}
    </Field>
  );
};
