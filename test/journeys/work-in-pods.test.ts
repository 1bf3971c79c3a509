import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { freePort } from "../support/free-port.ts";
import { type GitHost, git, startGitHost } from "../support/git-host.ts";
import { LoopbackApi } from "../support/kubernetes/loopback-api.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

let host: GitHost;
let cluster: LoopbackApi;
let service: TestService;
let folder: string;
/** The specifications of all programs that ran in pods. */
const specifications: string[] = [];

beforeAll(async () => {
  [host, folder] = await Promise.all([startGitHost(), mkdtemp(join(tmpdir(), "work-in-pods-"))]);
  cluster = new LoopbackApi();
  const { server, token } = await cluster.open();
  const set = cluster.secrets.set.bind(cluster.secrets);
  cluster.secrets.set = (name, secret) => {
    for (const text of Object.values(secret.data ?? {}))
      specifications.push(Buffer.from(text, "base64").toString());
    return set(name, secret);
  };
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

/** A company with two projects of a repository each. */
const aCompany = async (name: string) => {
  const { admin } = service;
  const { id: companyId } = await admin.companies.create({ name });
  const { id: credentialSecretId } = await admin.secrets.create({
    companyId,
    name: "host",
    value: host.token!,
  });
  const project = async (name: string) => {
    const { id: projectId } = await admin.projects.create({ companyId, name });
    const { id: repositoryId } = await admin.repositories.create({
      projectId,
      url: host.url,
      credentialSecretId,
      allowPrivateHost: true,
    });
    return { projectId, repositoryId };
  };
  return { companyId, ...(await project("Crane")), other: await project("Quay") };
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

it("What a run in a pod leaves is kept when it ends, and its removal is answered before the cluster carries it out", async () => {
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
  const workspaceId = workspace!.id;
  expect((await admin.workspaces.remove({ workspaceId, abandon: true })).status).toBe("removing");
  await eventually(
    async () => (await admin.workspaces.get({ workspaceId })).status,
    (status) => status === "removed",
  );
  expect(cluster.claims.has(`br-tree-${workspaceId}`)).toBe(false);
});

it("Commands of gates run in pods where the agent's runs do, also at a merge, with a credential for the checkout alone", async () => {
  const { admin } = service;
  const { other, repositoryId, ...company } = await aCompany("Harbour");
  const { projectId } = company;
  await admin.projects.setGates({
    projectId,
    gates: [
      {
        name: "tests",
        kind: "command",
        command: `pwd; env | grep -ci bearer; test -f ok.txt || { echo no ok.txt; exit 3; }`,
      },
    ],
  });
  const { issueId } = await issueOf(
    company,
    "if [ -e one.txt ]; then echo ok >ok.txt; else echo one >one.txt; fi; git add -A; git commit -qm work || true",
  );
  const checked = async (state: string) => {
    const [gate] = await eventually(
      async () => (await admin.issues.gates({ issueId })).gates,
      ([only]) => only?.check?.state === state,
    );
    return gate!;
  };
  const failed = await checked("failed");
  expect(failed).toMatchObject({
    reason: "The command failed: the program ended with 3.",
    check: {
      log: expect.stringMatching(/\/br-\w+-temporary-\S+\n0\nno ok\.txt\n$/),
      durationMs: expect.any(Number),
    },
  });
  const passed = await checked("passed");
  expect(passed).toMatchObject({
    reason: null,
    check: { log: expect.stringMatching(/\/br-\w+-temporary-\S+\n0\n$/) },
  });

  // The merge is of another commit.
  host.commit({ "since.txt": "x\n" });
  const commands = () => specifications.filter((text) => text.includes("no ok.txt")).length;
  const before = commands();
  await admin.issues.merge({ issueId, method: "squash" });
  expect(commands()).toBe(before + 1);
  expect(git(host.bare, ["show", "main:ok.txt"])).toBe("ok");
  expect([...cluster.claims.keys()].filter((name) => /^br-\w+-temporary-/.test(name))).toEqual([]);
  expect(cluster.complaints).toEqual([]);

  // The credential by which the commit was checked out.
  const checkout = specifications.findLast((text) => text.includes("boardroom/check"))!;
  const [, token = ""] = /Authorization: Bearer ([\w.-]+)/.exec(checkout) ?? [];
  const ask = async (path: string) =>
    (await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })).status;
  const refs = (of: string, store: string, kind: string) =>
    ask(`/git/${of}/${store}/info/refs?service=git-${kind}`);
  expect(await refs(repositoryId, "shared", "upload-pack")).toBe(200);
  expect(await refs(repositoryId, "shared", "receive-pack")).toBe(404);
  expect(await refs(repositoryId, "kept", "upload-pack")).toBe(404);
  expect(await refs(repositoryId, "kept", "receive-pack")).toBe(404);
  expect(await refs(other.repositoryId, "shared", "upload-pack")).toBe(404);
  expect(await ask(`/api/issues/${issueId}`)).toBe(401);
});
