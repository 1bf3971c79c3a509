import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { startService, type TestService } from "../support/service.ts";

let host: GitHost;
let service: TestService;
beforeAll(async () => {
  [host, service] = await Promise.all([startGitHost(), startService({ env: { SERVICE_SANDBOX: "auto" } })]);
});
afterAll(async () => {
  await service?.stop();
  host?.close();
});

const secretValue = "leaked-9f3c27d1-by-the-agent";
const patchIssue = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

/** The tables and columns in which the text stands. */
const tablesWith = async (text: string): Promise<readonly string[]> => {
  const sql = postgres(service.databaseUrl, { onnotice: () => {} });
  try {
    const tables = await sql<{ name: string }[]>`
      select quote_ident(table_name) as name
      from   information_schema.tables
      where  table_schema = 'public' and table_type = 'BASE TABLE'
    `;
    const found = await Promise.all(
      tables.map(async ({ name }) => {
        const rows = await sql.unsafe(`select 1 from ${name} t where strpos(t::text, $1) > 0 limit 1`, [
          text,
        ]);
        return rows.length > 0 ? [name] : [];
      }),
    );
    return found.flat();
  } finally {
    await sql.end();
  }
};

const commitsIt = 'printf %s "$WORD" >leaked.txt; git add -A; git commit -qm work || true';

/** An agent that gets a secret and commits its value, in a project whose gate prints the file. */
const leakingWork = async (script = commitsIt, hasGate = true) => {
  const { admin } = service;
  const { id: companyId } = await admin.companies.create({ name: "Leaks" });
  const [credential, secret] = await Promise.all([
    admin.secrets.create({ companyId, name: "host", value: host.token! }),
    admin.secrets.create({ companyId, name: "word", value: secretValue }),
  ]);
  const { id: projectId } = await admin.projects.create({ companyId, name: "Leaks" });
  await admin.repositories.create({
    projectId,
    url: host.url,
    defaultBranch: "main",
    mode: "issue",
    allowPrivateHost: true,
    credentialSecretId: credential.id,
    archiveCommand: "cat leaked.txt",
  });
  if (hasGate)
    await admin.projects.setGates({
      projectId,
      gates: [{ name: "tests", kind: "command", command: "cat leaked.txt; exit 3", maxWakes: 1 }],
    });
  const { id: agentId } = await admin.agents.create({
    companyId,
    name: "Leaky",
    adapterType: "process",
    adapterConfig: {
      command: "/bin/sh",
      args: ["-euc", `${script}; ${patchIssue}`],
      env: { WORD: { type: "secret_ref", secretId: secret.id, version: "latest" } },
    },
  });
  const { id: issueId } = await admin.issues.create({
    companyId,
    projectId,
    title: "Leak it",
    assigneeAgentId: agentId,
  });
  const failed = () =>
    eventually(
      () => admin.issues.gates({ issueId }),
      ({ gates }) => gates.some(({ check }) => check?.state === "failed"),
    );
  return { admin, companyId, issueId, agentId, secretId: secret.id, failed };
};

describe("A secret that an agent has left in its work", () => {
  it("is hidden in the log of a gate, the service's comment about it, and the output of archive commands", async () => {
    const { admin, companyId, issueId, failed } = await leakingWork();
    const { gates } = await failed();
    expect(gates.find(({ kind }) => kind === "command")?.check).toMatchObject({ log: "••••" });
    const { items } = await admin.issues.comments({ issueId });
    expect(items.map(({ body }) => body).join("\n")).toContain("```\n••••\n```");

    await admin.issues.update({ issueId, status: "cancelled" });
    const [workspace] = (await admin.workspaces.list({ companyId })).items;
    const { id: workspaceId } = workspace!;
    await eventually(
      async () => (await admin.workspaces.remove({ workspaceId, abandon: true }).catch(() => null))?.status,
      (status) => status === "removing",
    );
    const { items: commands } = await eventually(
      () => admin.workspaces.commands({ workspaceId }),
      ({ items }) => items.some(({ kind }) => kind === "archive"),
    );
    expect(commands.find(({ kind }) => kind === "archive")?.output).toBe("••••");
    expect(await tablesWith(secretValue)).toEqual([]);
  });

  it("stays hidden in the log of a gate that runs again once the agent is terminated", async () => {
    const { admin, issueId, agentId, failed } = await leakingWork();
    const { gates: before } = await failed();
    const finishedAt = (gates: typeof before) =>
      gates.find(({ kind }) => kind === "command")?.check?.finishedAt;
    await admin.agents.terminate({ agentId });
    await admin.issues.rerunGates({ issueId });
    const { gates } = await eventually(
      () => admin.issues.gates({ issueId }),
      ({ gates }) => typeof finishedAt(gates) === "string" && finishedAt(gates) !== finishedAt(before),
    );
    expect(gates.find(({ kind }) => kind === "command")?.check).toMatchObject({
      state: "failed",
      log: "••••",
    });
    expect(await tablesWith(secretValue)).toEqual([]);
  });

  it("is hidden in names of files in conflicts of a merge, of what is left out, and of branches", async () => {
    const { admin, companyId, issueId } = await leakingWork(
      `git checkout -qb "b-$WORD"; echo mine >"f-$WORD.txt"; git add -A; git commit -qm work
       git init -q "inner-$WORD"; echo x >"inner-$WORD/x"; git -C "inner-$WORD" add x; git -C "inner-$WORD" commit -qm x`,
      false,
    );
    const workspace = await eventually(
      async () => (await admin.workspaces.list({ companyId })).items[0],
      (found) => found?.repositories[0]?.kept != null,
    );
    expect(workspace?.repositories[0]?.kept).toMatchObject({
      branch: "refs/heads/b-••••",
      leftOut: [{ path: expect.stringMatching(/^inner-••••\/?$/), reason: "inner_repository" }],
    });
    host.commit({ [`f-${secretValue}.txt`]: "theirs\n" });
    const { status, body } = await service.request("POST", `/api/issues/${issueId}/merge`, {
      body: { method: "merge" },
    });
    expect([status, body]).toMatchObject([
      409,
      {
        code: "merge_conflict",
        details: { files: ["f-••••.txt"], messages: expect.stringContaining("f-••••.txt") },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain(secretValue);
    expect(await tablesWith(secretValue)).toEqual([]);
  });

  it("takes the whole log with it where the secret cannot be read any more", async () => {
    const { admin, issueId, secretId, failed } = await leakingWork();
    await failed();
    await admin.secrets.update({ secretId, status: "disabled" });
    await admin.issues.rerunGates({ issueId });
    const { gates } = await eventually(
      () => admin.issues.gates({ issueId }),
      ({ gates }) => gates.some(({ check }) => check?.state === "failed" && check.log !== "••••"),
    );
    expect(gates.find(({ kind }) => kind === "command")).toMatchObject({
      reason: "The command failed.",
      check: { log: expect.stringMatching(/^\[Hidden: a secret/) },
    });
    expect(await tablesWith(secretValue)).toEqual([]);
  });
});

describe("A server of tools that repeats its secret", () => {
  /** Answers tools/list with the header in a name, a description and a schema; or an error with it. */
  const echoing = async (failing: boolean) => {
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      const { id, method } = JSON.parse(text || "{}");
      if (id === undefined) return response.writeHead(202).end();
      const header = String(request.headers["x-key"]);
      const tools = [
        {
          name: `t_${header}`,
          description: `With ${header}`,
          inputSchema: { type: "object", properties: { [header]: { type: "string", description: header } } },
        },
      ];
      const answers: Record<string, unknown> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "x", version: "1" },
        },
        "tools/list": { tools },
      };
      const body =
        failing && method === "tools/list"
          ? { error: { code: -32000, message: `bad key ${header}` } }
          : { result: answers[method] ?? {} };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      close: () => server.close(),
    };
  };

  it.each([
    ["in names and descriptions of its tools", false],
    ["in an error", true],
  ])("%s is stored and answered without it", async (_, failing) => {
    const server = await echoing(failing);
    try {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Echo" });
      const secret = await admin.secrets.create({ companyId, name: "key", value: secretValue });
      const { status, body } = await service.request("POST", `/api/companies/${companyId}/mcp-servers`, {
        body: {
          name: "echo",
          url: server.url,
          allowPrivateHost: true,
          allAgents: true,
          headers: { "X-Key": { type: "secret_ref", secretId: secret.id } },
        },
      });
      expect(status).toBe(failing ? 422 : 201);
      expect(JSON.stringify(body)).toContain("••••");
      expect(JSON.stringify(body)).not.toContain(secretValue);
      expect(await tablesWith(secretValue)).toEqual([]);
    } finally {
      server.close();
    }
  });
});
