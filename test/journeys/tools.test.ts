import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { messageFor } from "../support/mcp.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let companyId: string;
let folder: string;

/** Behaves as `claude` does: reads its configuration and its prompt, and answers with the prompt. */
const program = () => `#!${process.execPath}
let line = "";
for await (const chunk of process.stdin) if ((line += chunk).includes("\\n")) break;
const { content } = JSON.parse(line).message;
const prompt = typeof content === "string" ? content : content[0].text;
const { SERVICE_API_URL: api, SERVICE_API_KEY: token, SERVICE_TASK_ID: task, LISTS } = process.env;
const given = process.argv.find((arg) => arg.startsWith("--mcp-config=")).slice("--mcp-config=".length);
const { url, headers } = JSON.parse(given).mcpServers.boardroom;
if (process.argv.some((arg) => arg.includes(token))) throw new Error("An argument holds the token.");
if (LISTS === "yes")
  await fetch(url, {
    method: "POST",
    headers: {
      authorization: headers.Authorization.replace(/\\$\\{(\\w+)\\}/, (_, name) => process.env[name]),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-06-18",
    },
    body: ${JSON.stringify(JSON.stringify(messageFor("2025-06-18", "tools/list")))},
  });
await fetch(api + "/api/issues/" + task, {
  method: "PATCH",
  headers: { authorization: "Bearer " + token, "content-type": "application/json" },
  body: JSON.stringify({ status: "in_review" }),
});
console.log(JSON.stringify({ type: "system", subtype: "init", session_id: "s-1", model: "m" }));
console.log(JSON.stringify({ type: "result", subtype: "success", is_error: false, result: prompt, session_id: "s-1" }));
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tools-"));
  // A module, by its name.
  await writeFile(join(folder, "claude.mjs"), program());
  await chmod(join(folder, "claude.mjs"), 0o755);
  service = await startService();
  companyId = (await service.admin.companies.create({ name: "Tools" })).id;
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Wakes an agent twice for an issue; its runs, the first one first, with the lines of the service in their logs. */
const twoWakes = async (lists: "yes" | "no") => {
  const { admin } = service;
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: `Ada, ${lists}`,
    adapterType: "adapter_a_local",
    adapterConfig: { command: join(folder, "claude.mjs"), env: { LISTS: lists } },
  });
  const { id: issueId } = await admin.issues.create({
    companyId,
    title: "Light the lamp",
    description: "The one at the north pier.",
    assigneeAgentId,
  });
  const ended = (count: number) =>
    eventually(
      async () => (await admin.runs.ofIssue({ issueId })).items.toReversed(),
      (runs) => runs.length === count && runs.every(({ finishedAt }) => finishedAt !== null),
    );
  await ended(1);
  await admin.issues.comment({ issueId, body: "Which oil was it?" });
  const runs = await ended(2);
  return Promise.all(
    runs.map(async ({ id, summary, error }) => {
      expect(error).toBeNull();
      return { prompt: summary ?? "", log: (await admin.runs.log({ runId: id })).content };
    }),
  );
};

const unlisted = "MCP tools weren't used";

describe("The service's tools in a run", () => {
  it("make the prompt of the next one shorter, once the program has listed them", async () => {
    const [first, second] = await twoWakes("yes");
    expect(first!.prompt).toContain("The one at the north pier.");
    expect(first!.prompt).toContain("$SERVICE_API_URL");
    expect(second!.prompt).toMatch(/Light the lamp\nNew in its thread: \S+\.\n\nWork with the tools/);
    expect(second!.prompt).not.toMatch(/north pier|Which oil|SERVICE_API_URL/);
    for (const { log } of [first!, second!]) expect(log).not.toContain(unlisted);
  });

  it("are missed in the log, where the program has not listed them", async () => {
    for (const { prompt, log } of await twoWakes("no")) {
      expect(prompt).toContain("The one at the north pier.");
      expect(log).toContain(unlisted);
    }
  });
});
