import { useState } from "react";
import { type RowOf, useRead } from "../../live/calls.ts";
import { CheckField, TextField } from "../../widgets/field.tsx";
import { useCompany } from "../companies/company.tsx";
import { allRepositories, type GrantsDraft } from "./agent-grants.ts";

interface GrantFieldsProps {
  readonly value: GrantsDraft;
  readonly onChange: (value: GrantsDraft) => void;
}

/** The decisions that an agent may take in people's place. */
export const GrantFields = ({ value, onChange }: GrantFieldsProps) => {
  const { id: companyId } = useCompany();
  const isAll = value.mergesInto.includes(allRepositories);
  const isSome = value.mergesInto.length > 0 && !isAll;
  const [isChoosing, setChoosing] = useState(isSome);
  const { data: projects } = useRead("projects.list", { companyId }, { enabled: isChoosing || isSome });
  return (
    <>
      <TextField
        label="Can decide ownership for"
        name="grants"
        hint="Decision classes, separated by commas. Agents can't decide their own requests."
        placeholder="tooling, docs"
        value={value.decides}
        onChange={(decides) => onChange({ ...value, decides })}
      />
      <CheckField
        label="Can merge into all repositories"
        name="mergesInto.all"
        hint="When all gates pass."
        checked={isAll}
        onChange={(isChecked) => onChange({ ...value, mergesInto: isChecked ? [allRepositories] : [] })}
      />
      {isAll ? null : (
        <details
          open={isChoosing || isSome}
          onToggle={({ currentTarget }) => setChoosing(currentTarget.open)}
        >
          <summary>Only some repositories</summary>
          <div className="form">
            {projects?.items.length === 0 ? <p className="faint">This company has no projects yet.</p> : null}
            {(projects?.items ?? []).map((project) => (
              <RepositoriesOf key={project.id} project={project} value={value} onChange={onChange} />
            ))}
          </div>
        </details>
      )}
    </>
  );
};

const RepositoriesOf = ({
  project,
  value,
  onChange,
}: GrantFieldsProps & { readonly project: RowOf<"projects.list"> }) => {
  const { data: repositories = [] } = useRead("repositories.list", { projectId: project.id });
  return repositories.map(({ id, url }) => (
    <CheckField
      key={id}
      label={`${url} of ${project.name}`}
      name={`mergesInto.${id}`}
      checked={value.mergesInto.includes(id)}
      onChange={(isChecked) =>
        onChange({
          ...value,
          mergesInto: isChecked ? [...value.mergesInto, id] : value.mergesInto.filter((each) => each !== id),
        })
      }
    />
  ));
};
