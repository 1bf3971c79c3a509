import { useRead } from "../../live/calls.ts";
import { Combobox } from "../../widgets/combobox.tsx";
import { Field, SelectField } from "../../widgets/field.tsx";
import { useCompany } from "../companies/company.tsx";
import { useIssueOptions } from "../issues/issue-options.ts";

/** The goal and the parent that a routine gives its issues. */
export interface Belonging {
  readonly goalId: string | null;
  readonly parentIssueId: string | null;
}

interface RoutineBelongsProps {
  readonly value: Belonging;
  readonly onChange: (value: Belonging) => void;
}

export const RoutineBelongs = ({ value, onChange }: RoutineBelongsProps) => {
  const { id: companyId } = useCompany();
  const { data: goals } = useRead("goals.list", { companyId });
  const { options, onType } = useIssueOptions([]);
  const { goalId, parentIssueId } = value;
  const parent = useRead("issues.get", { issueId: parentIssueId ?? "" }, { enabled: parentIssueId !== null });
  const known =
    parent.data === undefined || options.some((each) => each.value === parent.data.id)
      ? options
      : [{ value: parent.data.id, label: `${parent.data.identifier} ${parent.data.title}` }, ...options];
  return (
    <>
      <SelectField
        label="Goal"
        name="goalId"
        options={[
          { value: "", label: "No goal" },
          ...(goals?.items ?? []).map(({ id, title }) => ({ value: id, label: title })),
        ]}
        value={goalId ?? ""}
        onChange={(chosen) => onChange({ goalId: chosen === "" ? null : chosen, parentIssueId })}
      />
      <Field label="Parent issue" name="parentIssueId">
        {({ id }) => (
          <Combobox
            id={id}
            label="Parent issue"
            placeholder="No issue"
            clearable
            options={known}
            value={parentIssueId}
            onType={onType}
            onChange={(chosen) => onChange({ goalId, parentIssueId: chosen })}
          />
        )}
      </Field>
    </>
  );
};
