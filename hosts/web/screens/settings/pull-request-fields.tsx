import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { boundTo } from "../../widgets/bound.ts";
import { CheckField, SelectField, TextField } from "../../widgets/field.tsx";

type Repository = AnswerOf<"repositories.list">[number];

const hostKinds = [
  { value: "", label: "None are opened" },
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
            label="A pull request that is merged at the host makes its issue done"
            {...bound.checked("closesIssues")}
          />
          <TextField
            label="Address of the host's interface"
            hint="Empty where hosts of that kind have it."
            placeholder="https://git.example.com/api/v4"
            {...bound.value("hostApiUrl")}
          />
          <TextField
            label="Branch at the host"
            hint="{identifier} is the issue's. An open pull request keeps its branch."
            placeholder="boardroom/{identifier}"
            {...bound.value("branchPattern")}
          />
          <SelectField
            label="Secret of the webhook"
            hint="The host signs with it what it tells of pull requests; without it the service asks the host."
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
