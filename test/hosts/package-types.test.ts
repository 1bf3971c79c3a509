import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// Apart from the other tests of the package: half a minute of processor time, which no other Node needs to spend again.

const root = join(import.meta.dirname, "../..");
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "boardroom-types-"));
});
afterAll(async () => {
  if (directory) await rm(directory, { recursive: true, force: true });
});

describe("The published package", () => {
  it("has types that name no package, and say what a client takes and answers", async () => {
    const installed = join(directory, "embedder/node_modules/boardroom");
    await mkdir(installed, { recursive: true });
    await cp(join(root, "package.json"), join(installed, "package.json"));
    execFileSync(process.execPath, [join(root, "scripts/publish-types.mjs"), join(installed, "dist/types")]);
    const named = new Set<string>();
    for (const file of ["library.d.ts", "plugin.d.ts"]) {
      const text = await readFile(join(installed, "dist/types", file), "utf8");
      for (const [, name] of text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)) named.add(name ?? "");
    }
    expect([...named]).toEqual(["node:http"]);

    const embedder = join(directory, "embedder");
    await writeFile(join(embedder, "package.json"), '{ "type": "module" }');
    await cp(join(root, "node_modules/@types/node"), join(embedder, "node_modules/@types/node"), {
      recursive: true,
    });
    await cp(join(root, "node_modules/undici-types"), join(embedder, "node_modules/undici-types"), {
      recursive: true,
    });
    await writeFile(
      join(embedder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          noEmit: true,
          target: "es2023",
          module: "nodenext",
          types: ["node"],
        },
        include: ["main.ts"],
      }),
    );
    await writeFile(
      join(embedder, "main.ts"),
      `import { createServer } from "node:http";
import { BoardroomError, createBoardroom, createClient, httpTransport } from "boardroom";
import { type AgentAdapter, checkConformance, seconds } from "boardroom/plugin";

const { client, handler, close } = await createBoardroom({ dataDir: "data" });
createServer(handler).listen(3000);
const company = await client.companies.create({ name: "A" }, { idempotencyKey: "k" });
const id: string = company.id;
const issue = await client.issues.create({ companyId: id, title: "T", priority: "high" });
await client.issues.checkout({ issueId: issue.id, agentId: id, expectedStatuses: ["todo"] });
for await (const each of client.issues.list.all({ companyId: id, status: ["todo", "done"] })) {
  const status: "todo" | "done" | "backlog" | "in_progress" | "in_review" | "blocked" | "cancelled" = each.status;
  console.log(status, each.assigneeAgentId ?? "nobody");
}
const page: { readonly next: string | null } = await client.runs.list({ companyId: id });
console.log(page.next, (await client.projects.list({ companyId: id })).items[0]?.budgetMonthlyCents);
const other = createClient(httpTransport({ baseUrl: "http://127.0.0.1:3100", token: "t" }));
await other.companies.get({ companyId: id }).catch((no: unknown) => {
  if (no instanceof BoardroomError) console.log(no.status, no.code);
});
const adapter: AgentAdapter = {
  type: "mine",
  models: [],
  agentConfigurationDoc: "",
  configSchema: { type: "object", properties: { timeoutSec: { type: "number", exclusiveMinimum: 0 } } },
  execute: async ({ config, runProcess }) => {
    const timeoutSec = seconds(config, "timeoutSec", 60);
    const { exitCode } = await runProcess({ command: "true", args: [], timeoutSec, graceSec: 1 });
    return { exitCode, timedOut: false };
  },
  testEnvironment: async ({ adapterType }) => ({ adapterType, status: "pass", checks: [], testedAt: "" }),
};
console.log(adapter.type, (await checkConformance("."))[0]?.problem);
// @ts-expect-error: an issue has a title.
await client.issues.create({ companyId: id });
// @ts-expect-error: there is no such status.
await client.issues.update({ issueId: id, status: "finished" });
await close();
`,
    );
    const checked = spawnSync(
      process.execPath,
      [join(root, "node_modules/typescript/bin/tsc"), "-p", embedder],
      {
        encoding: "utf8",
      },
    );
    expect(checked.stdout).toBe("");
    expect(checked.status).toBe(0);
  });
});
