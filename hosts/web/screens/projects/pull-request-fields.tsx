import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { boundTo } from "../../widgets/bound.ts";
import { CheckField, SelectField, TextField } from "../../widgets/field.tsx";

type Repository = AnswerOf<"repositories.list">[number];

const hostKinds = [
  { value: "", label: "Don't open pull requests" },
  { value: "github", label: "GitHub" },
  { value: "gitlab", label: "GitLab" },
  { value: "gitea", label: "Gitea" },
  { value: "forgejo", label: "Forgejo" },
] as const;

/** The settings of pull requests at the host of a repository; empty texts: not set. */
export interface PullRequestDraft {
  readonly hostKind: (typeof hostKinds)[number]["value"];
  readonly hostApiUrl: string;
  readonly webhookSecretId: string;
  readonly closesIssues: boolean;
  readonly branchPattern: string;
}

export const noPullRequests: PullRequestDraft = {
  hostKind: "",
  hostApiUrl: "",
  webhookSecretId: "",
  closesIssues: false,
  branchPattern: "",
};

export const pullRequestsOf = (repository: Repository): PullRequestDraft => ({
  hostKind: repository.hostKind ?? "",
  hostApiUrl: repository.hostApiUrl ?? "",
  webhookSecretId: repository.webhookSecretId ?? "",
  closesIssues: repository.closesIssues,
  branchPattern: repository.branchPattern ?? "",
});

/** The fields of a request that the draft sets. */
export const sentPullRequests = ({
  hostKind,
  hostApiUrl,
  webhookSecretId,
  closesIssues,
  branchPattern,
}: PullRequestDraft) =>
  hostKind === ""
    ? { hostKind: null, hostApiUrl: null, webhookSecretId: null, closesIssues: false, branchPattern: null }
    : {
        hostKind,
        hostApiUrl: hostApiUrl.trim() || null,
        webhookSecretId: webhookSecretId || null,
        closesIssues,
        branchPattern: branchPattern.trim() || null,
      };

interface PullRequestFieldsProps {
  readonly value: PullRequestDraft;
  readonly onChange: (value: PullRequestDraft) => void;
}

export const PullRequestFields = ({ value, onChange }: PullRequestFieldsProps) => {
  const { id: companyId } = useCompany();
  const { data: secrets = [] } = useRead("secrets.list", { companyId });
  const bound = boundTo(value, (change) => onChange({ ...value, ...change }));
  return (
    <>
      <SelectField label="Pull requests" options={hostKinds} {...bound.value("hostKind")} />
      {value.hostKind === "" ? null : (
        <>
          <CheckField
            label="Complete the issue when its pull request is merged"
            {...bound.checked("closesIssues")}
          />
          <TextField
            label="API URL"
            hint="Leave empty for the default."
            placeholder="https://git.example.com/api/v4"
            {...bound.value("hostApiUrl")}
          />
          <TextField
            label="Branch name"
            hint="Use {identifier} for the issue. Open pull requests keep their branch."
            placeholder="boardroom/{identifier}"
            {...bound.value("branchPattern")}
          />
          <SelectField
            label="Webhook secret"
            hint="Verifies the host's webhooks. Without one, Boardroom polls the host."
            {...bound.value("webhookSecretId")}
            options={[
              { value: "", label: "None" },
              ...secrets.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </>
      )}
    </>
  );
};
