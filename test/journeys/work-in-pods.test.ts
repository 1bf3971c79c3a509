import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { freePort } from "../support/free-port.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { LoopbackApi } from "../support/kubernetes/loopback-api.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

let host: GitHost;
let cluster: LoopbackApi;
let service: TestService;
let folder: string;

beforeAll(async () => {
  [host, folder] = await Promise.all([startGitHost(), mkdtemp(join(tmpdir(), "work-in-pods-"))]);
  cluster = new LoopbackApi();
  const { server, token } = await cluster.open();
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(
    kubeconfig,
    stringify({
      clusters: [{ name: "c", cluster: { server } }],
      users: [{ name: "u", user: { token: token() } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  const port = String(await freePort());
  const template = {
    kind: "kubernetes",
    kubeconfig,
    namespace: "agents",
    image: "i:1",
    volume: { size: "1Gi" },
  };
  service = await startService({
    env: { SERVICE_SANDBOX: "auto", PORT: port, SERVICE_AGENT_URL: `http://127.0.0.1:${port}` },
    templates: { cluster: stringify(template) },
  });
});
afterAll(async () => {
  await service?.stop();
  await cluster?.close();
  host?.close();
  await rm(folder, { recursive: true, force: true });
});

const handIn = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

/** A company with a project of a repository. */
const aCompany = async (name: string) => {
  const { admin } = service;
  const { id: companyId } = await admin.companies.create({ name });
  const { id: credentialSecretId } = await admin.secrets.create({
    companyId,
    name: "host",
    value: host.token!,
  });
  const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
  await admin.repositories.create({ projectId, url: host.url, credentialSecretId, allowPrivateHost: true });
  return { companyId, projectId };
};

/** An issue whose agent carries out the script in a pod each time that it is woken. */
const issueOf = async (
  { companyId, projectId }: { readonly companyId: string; readonly projectId: string },
  script: string,
) => {
  const { admin } = service;
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: { command: "/bin/sh", args: ["-euc", `${script}; ${handIn}`] },
    runtimeConfig: { runner: "cluster" },
  });
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it", assigneeAgentId });
  return { issueId: issue.id };
};

it("What a run in a pod leaves is kept when it ends", async () => {
  const { admin } = service;
  const company = await aCompany("Mole");
  const { issueId } = await issueOf(company, "echo one >one.txt");
  const { items } = await eventually(
    () => admin.runs.ofIssue({ issueId }),
    ({ items: [run] }) => run !== undefined && run.finishedAt !== null,
  );
  expect(items).toHaveLength(1);
  const [workspace] = (await admin.workspaces.list({ companyId: company.companyId })).items;
  expect(workspace).toMatchObject({ status: "kept", problem: null });
});
