import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { boundTo } from "../../widgets/bound.ts";
import { CheckField, SelectField, TextField } from "../../widgets/field.tsx";

type Repository = AnswerOf<"repositories.list">[number];

/** Where a repository is and how it is fetched, while it is edited; empty texts: not set. */
export interface RepositoryDraft {
  readonly url: string;
  readonly defaultBranch: string;
  readonly credentialSecretId: string;
  readonly directory: string;
  readonly allowPrivateHost: boolean;
}

export const newRepository: RepositoryDraft = {
  url: "",
  defaultBranch: "main",
  credentialSecretId: "",
  directory: "",
  allowPrivateHost: false,
};

export const repositoryDraftOf = (repository: Repository): RepositoryDraft => ({
  url: repository.url,
  defaultBranch: repository.defaultBranch,
  credentialSecretId: repository.credentialSecretId ?? "",
  directory: repository.directory ?? "",
  allowPrivateHost: repository.allowPrivateHost,
});

/** The fields of a request that the draft sets. */
export const sentRepository = ({
  url,
  defaultBranch,
  credentialSecretId,
  directory,
  allowPrivateHost,
}: RepositoryDraft) => ({
  url: url.trim(),
  defaultBranch,
  credentialSecretId: credentialSecretId || null,
  directory: directory.trim() || null,
  allowPrivateHost,
});

interface RepositoryFieldsProps {
  readonly value: RepositoryDraft;
  readonly onChange: (value: RepositoryDraft) => void;
}

export const RepositoryFields = ({ value, onChange }: RepositoryFieldsProps) => {
  const { id: companyId } = useCompany();
  const { data: secrets = [] } = useRead("secrets.list", { companyId });
  const bound = boundTo(value, (change) => onChange({ ...value, ...change }));
  return (
    <>
      <TextField
        label="Address"
        required
        placeholder="https://git.example.com/harbour/app.git"
        {...bound.value("url")}
      />
      <TextField label="Default branch" required {...bound.value("defaultBranch")} />
      <SelectField
        label="Access token"
        options={[
          { value: "", label: "None" },
          ...secrets.map(({ id, name }) => ({ value: id as string, label: name })),
        ]}
        {...bound.value("credentialSecretId")}
      />
      <TextField
        label="Directory"
        hint="Leave empty if it's the project's only repository."
        {...bound.value("directory")}
      />
      <CheckField label="Allow this machine and private networks" {...bound.checked("allowPrivateHost")} />
    </>
  );
};
