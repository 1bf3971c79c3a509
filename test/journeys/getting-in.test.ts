import { afterAll, beforeAll, it } from "vitest";
import { getIn } from "../support/getting-in.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { type PullRequestHost, startPullRequestHost } from "../support/git-hosts/pull-request-host.ts";
import { startService, type TestService } from "../support/service.ts";

let host: GitHost;
let pulls: PullRequestHost;
let service: TestService;
beforeAll(async () => {
  [host, service] = await Promise.all([startGitHost(), startService({ env: { SERVICE_SANDBOX: "auto" } })]);
  pulls = await startPullRequestHost(host, "gitea");
});
afterAll(async () => {
  await service?.stop();
  host.close();
  pulls.close();
});

it("Work gets in: after a gate failed once, by a pull request, not over a conflict, and back after it was abandoned", async () => {
  const { admin } = service;
  const { id: companyId } = await admin.companies.create({ name: "Harbour" });
  await getIn({
    host,
    pulls,
    admin,
    companyId,
    issueOf: async (projectId, title, script) => {
      const { id: assigneeAgentId } = await admin.agents.create({
        companyId,
        name: title,
        adapterType: "process",
        adapterConfig: { command: "/bin/sh", args: ["-euc", script] },
      });
      return admin.issues.create({ companyId, projectId, title, assigneeAgentId });
    },
  });
});
