import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { boundTo } from "../../widgets/bound.ts";
import { Button } from "../../widgets/button.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { Form, TextArea, TextField } from "../../widgets/field.tsx";
import {
  type PullRequestDraft,
  PullRequestFields,
  pullRequestsOf,
  sentPullRequests,
} from "./pull-request-fields.tsx";

import {
  type RepositoryDraft,
  RepositoryFields,
  repositoryDraftOf,
  sentRepository,
} from "./repository-fields.tsx";

type Repository = AnswerOf<"repositories.list">[number];

interface Props {
  readonly repository: Repository;
  readonly onClose: () => void;
}

const orNone = (text: string): string | null => (text.trim() === "" ? null : text.trim());

const draftOf = (repository: Repository) => ({
  setupCommand: repository.setupCommand ?? "",
  runCommand: repository.runCommand ?? "",
  archiveCommand: repository.archiveCommand ?? "",
  commandTimeoutSec: String(repository.commandTimeoutSec),
  sparseFolders: (repository.sparseFolders ?? []).join("\n"),
  authorName: repository.authorName ?? "",
  authorEmail: repository.authorEmail ?? "",
});

type Bound = ReturnType<typeof boundTo<ReturnType<typeof draftOf>>>;

const WorkspaceFields = ({ value }: Pick<Bound, "value">) => (
  <>
    <TextArea
      label="Setup command"
      hint="Runs in new workspaces and when lock files change, such as npm ci."
      rows={2}
      {...value("setupCommand")}
    />
    <TextArea label="Command before each run" rows={2} {...value("runCommand")} />
    <TextArea label="Command before a workspace is removed" rows={2} {...value("archiveCommand")} />
    <TextField
      label="Time limit per command, in seconds"
      type="number"
      min={1}
      max={3600}
      required
      {...value("commandTimeoutSec")}
    />
    <TextArea
      label="Folders to check out"
      hint="One per line. Leave empty for all."
      rows={3}
      {...value("sparseFolders")}
    />
    <TextField
      label="Commit author"
      hint="Use {agent} for the agent's name."
      placeholder="{agent}"
      {...value("authorName")}
    />
    <TextField
      label="Author email"
      hint="Use {agentKey} for the agent's name in URLs."
      placeholder="{agentKey}@agents.boardroom.invalid"
      {...value("authorEmail")}
    />
  </>
);

/** Where a repository is, what of it is laid out in workspaces, the commands that run there, who commits, and its pull requests. */
export const RepositorySetup = ({ repository, onClose }: Props) => {
  const [draft, setDraft] = useState(() => draftOf(repository));
  const { value } = boundTo(draft, (change) => setDraft((before) => ({ ...before, ...change })));
  const [address, setAddress] = useState<RepositoryDraft | null>(null);
  const [pullRequests, setPullRequests] = useState<PullRequestDraft | null>(null);
  const update = useWrite("repositories.update", { onDone: onClose });
  return (
    <Dialog title={`Workspaces of ${repository.url}`} onClose={onClose}>
      <Form
        label="Workspaces of a repository"
        error={update.error}
        onSubmit={() =>
          update.run({
            repositoryId: repository.id,
            setupCommand: orNone(draft.setupCommand),
            runCommand: orNone(draft.runCommand),
            archiveCommand: orNone(draft.archiveCommand),
            commandTimeoutSec: Number(draft.commandTimeoutSec),
            authorName: orNone(draft.authorName),
            authorEmail: orNone(draft.authorEmail),
            // Others may have changed the fields that nobody touched here.
            ...(address === null ? {} : sentRepository(address)),
            ...(pullRequests === null ? {} : sentPullRequests(pullRequests)),
            sparseFolders: draft.sparseFolders.split("\n").flatMap((line) => orNone(line) ?? []),
          })
        }
      >
        <RepositoryFields value={address ?? repositoryDraftOf(repository)} onChange={setAddress} />
        <WorkspaceFields value={value} />
        <PullRequestFields value={pullRequests ?? pullRequestsOf(repository)} onChange={setPullRequests} />
        <div className="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="main" busy={update.busy}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
