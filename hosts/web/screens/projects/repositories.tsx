import { useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Form, Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { noPullRequests, PullRequestFields, sentPullRequests } from "./pull-request-fields.tsx";
import { newRepository, RepositoryFields, sentRepository } from "./repository-fields.tsx";
import { RepositorySetup } from "./repository-setup.tsx";

type Project = Pick<AnswerOf<"projects.get">, "id" | "name" | "callerMay">;
type Repository = AnswerOf<"repositories.list">[number];

/** The git repositories of a project. */
export const Repositories = ({ project }: { readonly project: Project }) => {
  const [removing, setRemoving] = useState<Repository | null>(null);
  const [settingUp, setSettingUp] = useState<Repository | null>(null);
  const [isAdding, setAdding] = useState(false);
  const repositories = useRead("repositories.list", { projectId: project.id });
  const remove = useWrite("repositories.remove", {
    onDone: () => setRemoving(null),
    onRefused: () => setRemoving(null),
  });
  const mayManage = project.callerMay.manageRepositories.allowed;
  const error = repositories.error ?? remove.error;
  return (
    <Section title="Repositories">
      {error === null ? null : <Problem error={error} />}
      {repositories.isSuccess && repositories.data.length === 0 ? (
        <p className="faint">No repositories yet</p>
      ) : null}
      <ul className="plain-list" aria-label={`Repositories of ${project.name}`}>
        {(repositories.data ?? []).map((repository) => (
          <RepositoryRow
            key={repository.id}
            repository={repository}
            mayManage={mayManage}
            onSetUp={() => setSettingUp(repository)}
            onRemove={() => setRemoving(repository)}
          />
        ))}
      </ul>
      {mayManage ? (
        isAdding ? (
          <NewRepository project={project} onDone={() => setAdding(false)} />
        ) : (
          <Button small icon="plus" onClick={() => setAdding(true)}>
            Add a repository
          </Button>
        )
      ) : null}
      {settingUp === null ? null : (
        <RepositorySetup repository={settingUp} onClose={() => setSettingUp(null)} />
      )}
      {removing === null ? null : (
        <ConfirmDialog
          title={`Remove ${removing.url}?`}
          verb="Remove"
          busy={remove.busy}
          onConfirm={() => remove.run({ repositoryId: removing.id })}
          onClose={() => setRemoving(null)}
        >
          The repository on its host isn't changed, and saved work of issues stays.
        </ConfirmDialog>
      )}
    </Section>
  );
};

interface RepositoryRowProps {
  readonly repository: Repository;
  readonly mayManage: boolean;
  readonly onSetUp: () => void;
  readonly onRemove: () => void;
}

const RepositoryRow = ({ repository, mayManage, onSetUp, onRemove }: RepositoryRowProps) => {
  const say = useToasts();
  const check = useWrite("repositories.update");
  return (
    <li className="row list-row">
      <span className="grow">
        {repository.url}
        <span className="faint">
          {" "}
          · {repository.defaultBranch}
          {repository.directory === null ? "" : ` · in ${repository.directory}`}
          {repository.mode === "shared" ? " · shared" : ""}
          {repository.hostKind === null ? "" : ` · pull requests at ${repository.hostKind}`}
        </span>
        {repository.problem === null ? null : <span role="status"> · {repository.problem}</span>}
      </span>
      {mayManage ? (
        <>
          <Button
            small
            busy={check.busy}
            onClick={() =>
              check.run(
                { repositoryId: repository.id },
                { onSuccess: () => say.done("Connected. The branch exists.") },
              )
            }
          >
            Check
          </Button>
          <Button small onClick={onSetUp}>
            Set up
          </Button>
          <IconButton icon="trash" small label={`Remove ${repository.url}`} onClick={onRemove} />
        </>
      ) : null}
      {check.error === null ? null : <Problem error={check.error} />}
    </li>
  );
};

interface NewRepositoryProps {
  readonly project: Project;
  readonly onDone: () => void;
}

const NewRepository = ({ project, onDone }: NewRepositoryProps) => {
  const [repository, setRepository] = useState(newRepository);
  const [pullRequests, setPullRequests] = useState(noPullRequests);
  const create = useWrite("repositories.create", { onDone });
  return (
    <Form
      label="Add a repository"
      error={create.error}
      onSubmit={() =>
        create.run({
          projectId: project.id,
          ...sentRepository(repository),
          ...sentPullRequests(pullRequests),
        })
      }
    >
      <RepositoryFields value={repository} onChange={setRepository} />
      <PullRequestFields value={pullRequests} onChange={setPullRequests} />
      <div className="form-actions">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" kind="main" busy={create.busy}>
          Add
        </Button>
      </div>
    </Form>
  );
};
