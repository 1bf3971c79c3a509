import { afterAll, beforeAll, expect, it } from "vitest";
import { type GitHost, git, startGitHost } from "../support/git-host.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

let host: GitHost;
let service: TestService;
beforeAll(async () => {
  [host, service] = await Promise.all([startGitHost(), startService({ env: { SERVICE_SANDBOX: "auto" } })]);
});
afterAll(async () => {
  host.close();
  await service?.stop();
});

/** The commands of an agent's program, which has git and what it was started with. */
const script = (repositoryId: string, branch: string) => `
set -eu
export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.com GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.extraHeader GIT_CONFIG_VALUE_0="Authorization: Bearer $SERVICE_API_KEY"
git clone -q "$SERVICE_API_URL/git/${repositoryId}/shared" tree
cd tree
echo work > work.txt
git add -A
git commit -qm work
git push -q "$SERVICE_API_URL/git/${repositoryId}/kept" HEAD:refs/heads/${branch}
git ls-remote "$SERVICE_API_URL/git/${repositoryId}/kept"
git push "$SERVICE_API_URL/git/${repositoryId}/kept" HEAD:refs/heads/main || echo refused
grep -rq "$SERVICE_API_KEY" .git && echo leaked || echo clean
`;

it("An agent clones its project's repository and pushes its issue's branch, with the token of its run alone", async () => {
  const { admin } = service;
  const { id: companyId } = await admin.companies.create({ name: "Pier" });
  const { id: credentialSecretId } = await admin.secrets.create({
    companyId,
    name: "host",
    value: host.token!,
  });
  const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
  const repository = await admin.repositories.create({
    projectId,
    url: host.url,
    credentialSecretId,
    allowPrivateHost: true,
  });
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const branch = `boardroom/${issue.identifier}`;
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: { command: "/bin/sh", args: ["-c", script(repository.id, branch)] },
  });
  await admin.issues.update({ issueId: issue.id, assigneeAgentId, status: "todo" });
  // The newest is first; another run may follow.
  const run = await eventually(
    async () => (await admin.runs.ofIssue({ issueId: issue.id })).items.at(-1),
    (first) => first !== undefined && first.finishedAt !== null,
  );
  const { content } = await admin.runs.log({ runId: run!.id });
  expect(content).toContain(`refs/heads/${branch}`);
  expect(content).toContain("not a branch of this run");
  expect(content).toContain("refused");
  expect(content).toContain("clean");
  expect(content).not.toContain(host.token);
  expect(run).toMatchObject({ status: "succeeded" });
  // Pushed to the service, and not to the host.
  expect(git(host.bare, ["branch", "--list", "boardroom/*"])).toBe("");
});
