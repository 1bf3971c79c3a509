import { useRef, useState } from "react";
import { useWrite } from "../../live/calls.ts";
import { baseUrl } from "../../live/client.ts";
import { RunnerField } from "../../nouns/agents/runner-field.tsx";
import { useCompany, useMayHere } from "../../nouns/companies/company.tsx";
import { Button } from "../../widgets/button.tsx";
import { Form, Problem, TextArea, TextField } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** The fields that were changed here: another stays as somebody else has set it meanwhile. */
interface TypedCompany {
  readonly name?: string;
  readonly description?: string;
  readonly limit?: string;
  readonly runner?: string;
}

/** Name, description, the limit of work that agents make, and logo; owners change them. */
export const CompanyForm = () => {
  const company = useCompany();
  const mayOwn = useMayHere("update");
  const say = useToasts();
  const [typed, setTyped] = useState<TypedCompany>({});
  const save = useWrite("companies.update", {
    onDone: () => {
      setTyped({});
      say.done("Company saved");
    },
  });
  return (
    <Section anchor="company" title="Company">
      <Logo />
      <Form
        label="Company"
        error={save.error}
        onSubmit={() =>
          save.run({
            companyId: company.id,
            ...(typed.name === undefined ? {} : { name: typed.name }),
            ...(typed.description === undefined ? {} : { description: typed.description || null }),
            ...(typed.runner === undefined ? {} : { runner: typed.runner || null }),
            ...(typed.limit === undefined ? {} : { agentCausedRunLimit: Number(typed.limit) }),
          })
        }
      >
        <CompanyFields typed={typed} onType={setTyped} />
        {mayOwn ? (
          <div className="form-actions">
            <Button type="submit" kind="main" busy={save.busy} disabled={Object.keys(typed).length === 0}>
              Save
            </Button>
          </div>
        ) : null}
      </Form>
    </Section>
  );
};

interface CompanyFieldsProps {
  readonly typed: TypedCompany;
  readonly onType: (typed: TypedCompany) => void;
}

const CompanyFields = ({ typed, onType }: CompanyFieldsProps) => {
  const company = useCompany();
  const mayOwn = useMayHere("update");
  return (
    <>
      <TextField
        label="Name"
        name="name"
        required
        disabled={!mayOwn}
        hint={`Issue prefix: ${company.issuePrefix}. It doesn't change with the name.`}
        value={typed.name ?? company.name}
        onChange={(next) => onType({ ...typed, name: next })}
      />
      <TextArea
        label="Description"
        name="description"
        disabled={!mayOwn}
        hint="Agents read this as context."
        value={typed.description ?? company.description ?? ""}
        onChange={(next) => onType({ ...typed, description: next })}
      />
      <TextField
        label="Agent-to-agent run limit"
        name="agentCausedRunLimit"
        type="number"
        min={0}
        required
        disabled={!mayOwn}
        hint="Maximum runs in 10 minutes before you're asked. 0 means no limit."
        value={typed.limit ?? String(company.agentCausedRunLimit)}
        onChange={(limit) => onType({ ...typed, limit })}
      />
      <RunnerField
        name="runner"
        nothing="Default"
        disabled={!mayOwn}
        value={typed.runner ?? company.runner ?? ""}
        onChange={(runner) => onType({ ...typed, runner })}
      />
    </>
  );
};

const Logo = () => {
  const { id: companyId, logoUrl } = useCompany();
  const mayOwn = useMayHere("update");
  const picker = useRef<HTMLInputElement>(null);
  const set = useWrite("companies.update");
  const add = useWrite("assets.addLogo", {
    onDone: ({ assetId }) => set.run({ companyId, logoAssetId: assetId }),
  });
  const error = add.error ?? set.error;
  if (!mayOwn && logoUrl === null) return null;
  return (
    <div className="stack">
      <div className="row-wrap">
        {logoUrl === null ? (
          <span className="muted">No logo</span>
        ) : (
          <img className="settings-logo" src={`${baseUrl}${logoUrl}`} alt="Logo" />
        )}
        {mayOwn ? (
          <>
            <input
              ref={picker}
              type="file"
              accept="image/png,image/jpeg,image/webp,image/gif,image/svg+xml"
              hidden
              onChange={({ target }) => {
                const [file] = target.files ?? [];
                if (file !== undefined) add.run({ companyId, file });
                target.value = "";
              }}
            />
            <Button
              small
              icon="upload"
              busy={add.busy || set.busy}
              onClick={() => {
                set.reset();
                picker.current?.click();
              }}
            >
              Upload a logo
            </Button>
            {logoUrl === null ? null : (
              <Button small kind="danger" onClick={() => set.run({ companyId, logoAssetId: null })}>
                Remove the logo
              </Button>
            )}
          </>
        ) : null}
      </div>
      {error === null ? null : <Problem error={error} />}
    </div>
  );
};
