import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { anthropicMessages, tokensPerAnswer } from "../support/model-api/anthropic-messages.ts";
import { startModelApi } from "../support/model-api/model-api.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

// The whole product with the real command line. Only the model is scripted.
vi.setConfig({ testTimeout: 120_000 });

const program = fileURLToPath(new URL("../real-clis/node_modules/.bin/claude", import.meta.url));

const api = `curl -sS -H "Authorization: Bearer $SERVICE_API_KEY" -H "Content-Type: application/json"`;
const issue = `"$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID"`;
const send = (method: string, to: string, body: string) =>
  `${api} -w ' [%{http_code}]' -X ${method} ${issue}${to} -d "${body.replaceAll('"', '\\"')}"`;

describe("the claude command line in the service", () => {
  let model: ModelApi;
  let home: string;
  let service: TestService;

  beforeAll(async () => {
    if (!existsSync(program) || spawnSync(program, ["--version"]).status !== 0) {
      throw new Error(
        "The claude command line is not installed for the tests. Run `node scripts/install-real-clis.mjs`.",
      );
    }
    model = await startModelApi(anthropicMessages);
    home = await mkdtemp(join(tmpdir(), "claude-home-"));
    service = await startService({ env: { HOME: home } });
  });
  afterAll(async () => {
    await service?.stop();
    await model?.close();
    if (home) await rm(home, { recursive: true, force: true });
  });

  const conversation = () => JSON.stringify(model.requests.map(({ body }) => body.messages));

  it("wakes, reads its task, claims it, comments, finishes; and goes on with the session when it is woken again", async () => {
    const { admin } = service;
    const { id: companyId } = await admin.companies.create({ name: "Lighthouse" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Claude",
      adapterType: "adapter_a_local",
      adapterConfig: {
        command: program,
        dangerouslySkipPermissions: true,
        env: {
          ANTHROPIC_BASE_URL: model.url,
          ANTHROPIC_API_KEY: "any",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        },
      },
    });
    await admin.agents.syncSkills({ agentId, desiredSkills: ["boardroom"] });
    const commands = [
      `echo "woken by $SERVICE_WAKE_REASON"; ${api} ${issue}`,
      send("POST", "/checkout", `{"agentId":"$SERVICE_AGENT_ID","expectedStatuses":["todo","in_progress"]}`),
      send("POST", "/comments", `{"body":"The lamp burns walnut oil."}`),
      send("PATCH", "", `{"status":"done","comment":"That is all."}`),
    ];
    model.script(commands, "The lamp is lit.");
    const { id: issueId, identifier } = await admin.issues.create({
      companyId,
      title: "Light the lamp",
      description: "The one at the north pier.",
      assigneeAgentId: agentId,
    });

    const runsOf = async () => (await admin.runs.ofIssue({ issueId })).items;
    const ended = (count: number) =>
      eventually(
        runsOf,
        (runs) =>
          runs.length === count && runs.every(({ status }) => status !== "queued" && status !== "running"),
        { withinMs: 90_000, everyMs: 200 },
      );

    const [first] = await ended(1);
    expect(first).toMatchObject({
      status: "succeeded",
      error: null,
      wakeReason: "issue_assigned",
      summary: "The lamp is lit.",
      sessionIdBefore: null,
      usage: {
        inputTokens: (commands.length + 1) * (tokensPerAnswer.input + tokensPerAnswer.cacheCreation),
        cachedInputTokens: (commands.length + 1) * tokensPerAnswer.cacheRead,
        outputTokens: (commands.length + 1) * tokensPerAnswer.output,
      },
    });
    expect(first!.sessionIdAfter).toMatch(/^[0-9a-f-]{36}$/);
    expect(first!.costCents).not.toBeNull();

    // What the program told the model of its task, and of what it did there.
    const told = conversation();
    expect(told).toContain("The one at the north pier.");
    expect(told).toContain(identifier);
    expect(told).toContain("woken by issue_assigned");
    expect(told).toContain("[200]");
    expect(told).toContain("[201]");
    expect(told).not.toMatch(/\[[45]\d\d\]/);
    expect(told).toContain("boardroom: How to work with Boardroom");

    expect(await admin.issues.get({ issueId })).toMatchObject({
      status: "done",
      assigneeAgentId: agentId,
      checkoutRunId: null,
    });
    const comments = (await admin.issues.comments({ issueId, order: "asc" })).items;
    expect(comments.map(({ body, authorAgentId }) => [body, authorAgentId])).toEqual([
      ["The lamp burns walnut oil.", agentId],
      ["That is all.", agentId],
    ]);
    const spentOnce = (await admin.agents.get({ agentId })).spentMonthlyCents;
    expect(spentOnce).toBe(first!.costCents);
    const events = (await admin.activity.list({ companyId })).items;
    expect(events.filter(({ action }) => action === "cost.reported")).toMatchObject([
      { details: { costCents: first!.costCents, costStatus: "reported" } },
    ]);
    const log = (await admin.runs.log({ runId: first!.id })).content;
    expect(log).toContain("The lamp is lit.");

    // Again, with the conversation of before.
    model.forget();
    model.script([send("PATCH", "", `{"status":"done","comment":"It was walnut oil."}`)], "Answered.");
    await admin.issues.comment({ issueId, body: "Which oil was it?", reopen: true });
    const [second] = await ended(2);
    expect(second).toMatchObject({
      status: "succeeded",
      wakeReason: "issue_reopened_via_comment",
      sessionIdBefore: first!.sessionIdAfter,
      sessionIdAfter: first!.sessionIdAfter,
    });
    const again = conversation();
    expect(again).toContain("The lamp burns walnut oil.");
    expect(again).toContain("The lamp is lit.");
    expect(again).toContain("Which oil was it?");
    expect((await admin.issues.get({ issueId })).status).toBe("done");
    expect((await admin.agents.get({ agentId })).spentMonthlyCents).toBe(spentOnce + second!.costCents!);
    expect((await admin.issues.comments({ issueId })).items[0]).toMatchObject({
      body: "It was walnut oil.",
      authorAgentId: agentId,
    });
  });
});
