import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import { LabelDot } from "../../nouns/issues/label-dot.tsx";
import { AddByName } from "../../widgets/add-by-name.tsx";
import { IconButton } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";

type Label = AnswerOf<"labels.list">[number];

/** Words that issues are found by. */
export const Labels = () => {
  const { id: companyId } = useCompany();
  const mayWork = useMayHere("createLabel");
  const mayDelete = useMayHere("deleteLabels");
  const [color, setColor] = useState("#4650c8");
  const [deleting, setDeleting] = useState<Label | null>(null);
  const labels = useRead("labels.list", { companyId });
  const create = useWrite("labels.create");
  const remove = useWrite("labels.delete", {
    onDone: () => setDeleting(null),
    onRefused: () => setDeleting(null),
  });
  const error = labels.error ?? remove.error;
  return (
    <Section anchor="labels" title="Labels">
      {error === null ? null : <Problem error={error} />}
      {labels.isSuccess && labels.data.length === 0 ? <p className="faint">No labels yet</p> : null}
      <ul className="plain-list">
        {(labels.data ?? []).map((label) => (
          <li key={label.id} className="row list-row">
            <LabelDot color={label.color} />
            <span className="grow cut">{label.name}</span>
            {mayDelete ? (
              <IconButton
                icon="trash"
                small
                label={`Delete ${label.name}`}
                onClick={() => setDeleting(label)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {mayWork ? (
        <AddByName
          label="Add a label"
          field="New label name"
          maxLength={100}
          write={create}
          onAdd={(name) => create.runAndWait({ companyId, name, color })}
        >
          <input
            type="color"
            aria-label="Colour"
            value={color}
            onChange={(event) => setColor(event.target.value)}
          />
        </AddByName>
      ) : null}
      {deleting === null ? null : (
        <ConfirmDialog
          title={`Delete the label ${deleting.name}?`}
          verb="Delete"
          busy={remove.busy}
          onConfirm={() => remove.run({ labelId: deleting.id })}
          onClose={() => setDeleting(null)}
        >
          This removes the label from every issue.
        </ConfirmDialog>
      )}
    </Section>
  );
};
