import { useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
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

/** Where a repository is, what of it is laid out in workspaces, the commands that run there, who commits, and its pull requests. */
export const RepositorySetup = ({ repository, onClose }: Props) => {
  const [setupCommand, setSetup] = useState(repository.setupCommand ?? "");
  const [runCommand, setRun] = useState(repository.runCommand ?? "");
  const [archiveCommand, setArchive] = useState(repository.archiveCommand ?? "");
  const [timeout, setTimeoutSec] = useState(String(repository.commandTimeoutSec));
  const [folders, setFolders] = useState((repository.sparseFolders ?? []).join("\n"));
  const [authorName, setAuthorName] = useState(repository.authorName ?? "");
  const [authorEmail, setAuthorEmail] = useState(repository.authorEmail ?? "");
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
            setupCommand: orNone(setupCommand),
            runCommand: orNone(runCommand),
            archiveCommand: orNone(archiveCommand),
            commandTimeoutSec: Number(timeout),
            authorName: orNone(authorName),
            authorEmail: orNone(authorEmail),
            // Others may have changed the fields that nobody touched here.
            ...(address === null ? {} : sentRepository(address)),
            ...(pullRequests === null ? {} : sentPullRequests(pullRequests)),
            sparseFolders: folders.split("\n").flatMap((line) => orNone(line) ?? []),
          })
        }
      >
        <RepositoryFields value={address ?? repositoryDraftOf(repository)} onChange={setAddress} />
        <TextArea
          label="Set-up command"
          name="setupCommand"
          hint="In a new workspace, and when lock files have changed, such as npm ci."
          rows={2}
          value={setupCommand}
          onChange={setSetup}
        />
        <TextArea
          label="Command before each run"
          name="runCommand"
          rows={2}
          value={runCommand}
          onChange={setRun}
        />
        <TextArea
          label="Command before a workspace is removed"
          name="archiveCommand"
          rows={2}
          value={archiveCommand}
          onChange={setArchive}
        />
        <TextField
          label="Longest time of each, in seconds"
          name="commandTimeoutSec"
          type="number"
          min={1}
          max={3600}
          required
          value={timeout}
          onChange={setTimeoutSec}
        />
        <TextArea
          label="Folders to lay out"
          name="sparseFolders"
          hint="One on a line; empty: all."
          rows={3}
          value={folders}
          onChange={setFolders}
        />
        <TextField
          label="Author of commits"
          name="authorName"
          hint="{agent} is the agent's name."
          placeholder="{agent}"
          value={authorName}
          onChange={setAuthorName}
        />
        <TextField
          label="Address of the author"
          name="authorEmail"
          hint="{agentKey} is the agent's name as in addresses of the page."
          placeholder="{agentKey}@agents.boardroom.invalid"
          value={authorEmail}
          onChange={setAuthorEmail}
        />
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
