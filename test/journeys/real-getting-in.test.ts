import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { getIn } from "../support/getting-in.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { type PullRequestHost, startPullRequestHost } from "../support/git-hosts/pull-request-host.ts";
import { startModelApi } from "../support/model-api/model-api.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { installed, type RealCli, realClis } from "../support/real-clis.ts";
import { startService, type TestService } from "../support/service.ts";

// The whole way of code with the real command lines; only their models are scripted.
vi.setConfig({ testTimeout: 400_000 });

let host: GitHost;
let pulls: PullRequestHost;
let home: string;
let service: TestService;
const models: ModelApi[] = [];
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "getting-in-home-"));
  [host, service] = await Promise.all([
    startGitHost(),
    startService({ env: { HOME: home, SERVICE_SANDBOX: "auto" } }),
  ]);
  pulls = await startPullRequestHost(host, "gitea");
});
afterAll(async () => {
  await service?.stop();
  host?.close();
  pulls?.close();
  for (const model of models) await model.close();
  await rm(home, { recursive: true, force: true });
});

/** An agent whose model carries out the script of the issue that it is woken for. */
const aWorker = async (companyId: string, cli: RealCli) => {
  const model = await startModelApi(cli.protocol);
  models.push(model);
  const { id: agentId } = await service.admin.agents.create({
    companyId,
    name: cli.command,
    adapterType: cli.adapterType,
    adapterConfig: { command: installed(cli.command), ...cli.configured(model.url) },
  });
  const scripts: string[] = [];
  return {
    cli,
    agentId,
    model,
    learn: (issueId: string, script: string) => {
      scripts.push(`${issueId}) ${script} ;;`);
      model.script([`(set -eu; case $SERVICE_TASK_ID in ${scripts.join("\n")} esac)`], "That is all.");
    },
  };
};

it("Work of claude and codex gets in: after a gate failed once, by a pull request, not over a conflict, and back after it was abandoned", async () => {
  const { admin } = service;
  const { id: companyId } = await admin.companies.create({ name: "Harbour" });
  const clis = realClis.filter(({ command }) => ["claude", "codex"].includes(command));
  const workers = await Promise.all(clis.map((cli) => aWorker(companyId, cli)));
  let issues = 0;
  await getIn({
    host,
    pulls,
    admin,
    companyId,
    issueOf: async (projectId, title, script) => {
      const worker = workers[issues++ % workers.length]!;
      const issue = await admin.issues.create({ companyId, projectId, title });
      worker.learn(issue.id, script);
      return admin.issues.update({ issueId: issue.id, assigneeAgentId: worker.agentId, status: "todo" });
    },
  });
  expect(issues).toBe(4);
  for (const { model, cli } of workers) {
    expect(model.requests.length, cli.command).toBeGreaterThan(0);
    // The host's credential is the service's alone.
    expect(JSON.stringify(model.requests)).not.toContain(host.token);
  }
});
