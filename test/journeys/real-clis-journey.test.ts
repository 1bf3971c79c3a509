import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { TokenUsage } from "../../ports/agent-adapter.ts";
import { anthropicMessages, tokensPerAnswer } from "../support/model-api/anthropic-messages.ts";
import { type ModelProtocol, startModelApi } from "../support/model-api/model-api.ts";
import { openaiChat } from "../support/model-api/openai-chat.ts";
import { openaiResponses } from "../support/model-api/openai-responses.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

// Tests the whole product with the real command lines; only the model is scripted.
vi.setConfig({ testTimeout: 180_000 });

const api = `curl -sS -H "Authorization: Bearer $SERVICE_API_KEY" -H "Content-Type: application/json"`;
const issue = `"$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID"`;
const send = (method: string, to: string, body: string) =>
  `${api} -w ' [%{http_code}]' -X ${method} ${issue}${to} -d "${body.replaceAll('"', '\\"')}"`;

interface Cli {
  readonly command: string;
  readonly adapterType: string;
  readonly protocol: ModelProtocol;
  /** Writes the program's provider configuration; returns the agent's adapterConfig. */
  readonly prepare: (home: string, modelUrl: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly conversation: (model: ModelApi) => string;
  readonly session: RegExp;
  readonly usagePerAnswer: TokenUsage;
  readonly reportsMoney: boolean;
}

const clis: readonly Cli[] = [
  {
    command: "claude",
    adapterType: "adapter_a_local",
    protocol: anthropicMessages,
    prepare: async (_, url) => ({
      dangerouslySkipPermissions: true,
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "any",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    }),
    conversation: ({ requests }) => JSON.stringify(requests.map(({ body }) => body.messages)),
    session: /^[0-9a-f-]{36}$/,
    usagePerAnswer: {
      inputTokens: tokensPerAnswer.input + tokensPerAnswer.cacheCreation,
      cachedInputTokens: tokensPerAnswer.cacheRead,
      outputTokens: tokensPerAnswer.output,
    },
    reportsMoney: true,
  },
  {
    command: "codex",
    adapterType: "adapter_b_local",
    protocol: openaiResponses,
    prepare: async (home, url) => {
      const folder = join(home, "codex");
      await mkdir(folder);
      await writeFile(
        join(folder, "config.toml"),
        `model = "scripted"\nmodel_provider = "s"\n[model_providers.s]\nname = "s"\nbase_url = "${url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n`,
      );
      return { env: { CODEX_HOME: folder, OPENAI_API_KEY: "any" } };
    },
    conversation: ({ requests }) => JSON.stringify(requests.map(({ body }) => body.input)),
    session: /^[0-9a-f-]{36}$/,
    usagePerAnswer: { inputTokens: 70, cachedInputTokens: 30, outputTokens: 20 },
    reportsMoney: false,
  },
  {
    command: "opencode",
    adapterType: "adapter_c_local",
    protocol: openaiChat,
    prepare: async (home, url) => {
      const folder = join(home, ".config", "opencode");
      await mkdir(folder, { recursive: true });
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        name: "s",
        options: { baseURL: `${url}/v1`, apiKey: "any" },
        models: { m1: { name: "M1", cost: { input: 500, output: 500 } } },
      };
      await writeFile(join(folder, "opencode.json"), JSON.stringify({ provider: { s: provider } }));
      return { model: "s/m1" };
    },
    conversation: ({ requests }) => JSON.stringify(requests.map(({ body }) => body.messages)),
    session: /^ses_/,
    usagePerAnswer: { inputTokens: 70, cachedInputTokens: 30, outputTokens: 20 },
    reportsMoney: true,
  },
];

/** As plain children of the service, and with the users and namespaces that are the default under root. */
const separations = process.getuid?.() === 0 ? ["off", "required"] : ["off"];

describe.each(clis.flatMap((cli) => separations.map((sandbox) => ({ ...cli, sandbox }))))(
  "the $command command line in the service, sandbox $sandbox",
  (cli) => {
    const program = fileURLToPath(new URL(`../real-clis/node_modules/.bin/${cli.command}`, import.meta.url));
    let model: ModelApi;
    let home: string;
    let service: TestService;
    let companyId: string;
    let adapterConfig: Readonly<Record<string, unknown>>;

    beforeAll(async () => {
      if (!existsSync(program) || spawnSync(program, ["--version"]).status !== 0)
        throw new Error(
          `The ${cli.command} command line is not installed for the tests. Run \`node scripts/install-real-clis.mjs\`.`,
        );
      model = await startModelApi(cli.protocol);
      home = await mkdtemp(join(tmpdir(), `${cli.command}-home-`));
      service = await startService({ env: { HOME: home, SERVICE_SANDBOX: cli.sandbox } });
      companyId = (await service.admin.companies.create({ name: "Lighthouse" })).id;
      const homeOfAgents = cli.sandbox === "off" ? home : join(service.dataDir, "homes", companyId);
      await mkdir(homeOfAgents, { recursive: true });
      adapterConfig = { command: program, ...(await cli.prepare(homeOfAgents, model.url)) };
    }, 60_000);
    afterAll(async () => {
      await service?.stop();
      await model?.close();
      if (home) await rm(home, { recursive: true, force: true });
    });

    it("wakes, reads its task, claims it, comments, finishes, and resumes the session at the next wake", async () => {
      const { admin } = service;
      const { id: agentId } = await admin.agents.create({
        companyId,
        name: "Keeper",
        adapterType: cli.adapterType,
        adapterConfig,
      });
      await admin.agents.syncSkills({ agentId, desiredSkills: ["boardroom"] });
      const commands = [
        `echo "woken by $SERVICE_WAKE_REASON"; ${api} ${issue}`,
        send(
          "POST",
          "/checkout",
          `{"agentId":"$SERVICE_AGENT_ID","expectedStatuses":["todo","in_progress"]}`,
        ),
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
      const { usagePerAnswer: each } = cli;
      const answers = commands.length + 1;
      expect(first).toMatchObject({
        status: "succeeded",
        error: null,
        wakeReason: "issue_assigned",
        summary: "The lamp is lit.",
        sessionIdBefore: null,
        sessionIdAfter: expect.stringMatching(cli.session),
        usage: {
          inputTokens: answers * each.inputTokens,
          cachedInputTokens: answers * each.cachedInputTokens,
          outputTokens: answers * each.outputTokens,
        },
      });
      expect((await admin.runs.log({ runId: first!.id })).content).toContain("The lamp is lit.");

      // The requests in which the program told the model its task and its results.
      const told = cli.conversation(model);
      for (const part of [
        "The one at the north pier.",
        identifier,
        "woken by issue_assigned",
        "How to work with Boardroom",
        "[200]",
        "[201]",
      ])
        expect(told).toContain(part);
      expect(told).not.toMatch(/\[[45]\d\d\]/);

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
      expect(first!.costCents !== null).toBe(cli.reportsMoney);
      const spentOnce = (await admin.agents.get({ agentId })).spentMonthlyCents;
      expect(spentOnce).toBe(first!.costCents ?? 0);
      const events = (await admin.activity.list({ companyId })).items;
      expect(events.filter(({ action }) => action === "cost.reported")).toMatchObject([
        {
          details: {
            costCents: first!.costCents ?? 0,
            costStatus: cli.reportsMoney ? "reported" : "unknown",
          },
        },
      ]);

      // The second run, with the same conversation.
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
      const again = cli.conversation(model);
      for (const part of ["The lamp burns walnut oil.", "The lamp is lit.", "Which oil was it?"])
        expect(again).toContain(part);
      expect((await admin.issues.get({ issueId })).status).toBe("done");
      expect((await admin.agents.get({ agentId })).spentMonthlyCents).toBe(
        spentOnce + (second!.costCents ?? 0),
      );
      expect((await admin.issues.comments({ issueId })).items[0]).toMatchObject({
        body: "It was walnut oil.",
        authorAgentId: agentId,
      });
    });
  },
);
