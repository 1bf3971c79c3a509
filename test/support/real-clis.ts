import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import type { TokenUsage } from "../../ports/agent-adapter.ts";
import { eventually } from "./eventually.ts";
import { anthropicMessages, tokensPerAnswer } from "./model-api/anthropic-messages.ts";
import { editBuildAndTest } from "./model-api/edit-build-test.ts";
import type { ModelProtocol } from "./model-api/model-api.ts";
import { openaiChat } from "./model-api/openai-chat.ts";
import { openaiResponses } from "./model-api/openai-responses.ts";
import type { ModelApi } from "./model-api/scripted-model.ts";
import { carriersOf } from "./run-processes.ts";
import { argumentsWith, filesWith } from "./token-traces.ts";
import { startToolServer, toolProgram } from "./tool-server.ts";

const api = `curl -sS -H "Authorization: Bearer $SERVICE_API_KEY" -H "Content-Type: application/json"`;
const issue = `"$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID"`;
const send = (method: string, to: string, body: string) =>
  `${api} -w ' [%{http_code}]' -X ${method} ${issue}${to} -d "${body.replaceAll('"', '\\"')}"`;

/** A command line that a built-in adapter drives, with its model on loopback or wherever else. */
export interface RealCli {
  readonly command: string;
  /** The program itself, which runs without node. */
  readonly program: () => string;
  readonly adapterType: string;
  readonly protocol: ModelProtocol;
  /** The agent's adapterConfig: all that the program must know of its model, so that it runs anywhere. */
  readonly configured: (modelUrl: string) => Readonly<Record<string, unknown>>;
  readonly conversation: (model: ModelApi) => string;
  readonly session: RegExp;
  readonly usagePerAnswer: TokenUsage;
  readonly reportsMoney: boolean;
}

export const realClis: readonly RealCli[] = [
  {
    command: "claude",
    program: () => installed("claude"),
    adapterType: "adapter_a_local",
    protocol: anthropicMessages,
    configured: (url) => ({
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
    program: () => {
      const packages = dirname(dirname(dirname(realpathSync(installed("codex")))));
      const ofPlatform = readdirSync(packages).find((name) => name.startsWith("codex-")) ?? "";
      const vendor = join(packages, ofPlatform, "vendor");
      return join(vendor, readdirSync(vendor)[0] ?? "", "bin/codex");
    },
    adapterType: "adapter_b_local",
    protocol: openaiResponses,
    configured: (url) => ({
      model: "scripted",
      extraArgs: [
        `model_provider="s"`,
        `model_providers.s.name="s"`,
        `model_providers.s.base_url="${url}/v1"`,
        `model_providers.s.env_key="OPENAI_API_KEY"`,
        `model_providers.s.wire_api="responses"`,
      ].flatMap((setting) => ["-c", setting]),
      env: { OPENAI_API_KEY: "any" },
    }),
    conversation: ({ requests }) => JSON.stringify(requests.map(({ body }) => body.input)),
    session: /^[0-9a-f-]{36}$/,
    usagePerAnswer: { inputTokens: 70, cachedInputTokens: 30, outputTokens: 20 },
    reportsMoney: false,
  },
  {
    command: "opencode",
    program: () => installed("opencode"),
    adapterType: "adapter_c_local",
    protocol: openaiChat,
    configured: (url) => {
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        name: "s",
        options: { baseURL: `${url}/v1`, apiKey: "any" },
        models: { m1: { name: "M1", cost: { input: 500, output: 500 } } },
      };
      return {
        model: "s/m1",
        env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { s: provider } }) },
      };
    },
    conversation: ({ requests }) => JSON.stringify(requests.map(({ body }) => body.messages)),
    session: /^ses_/,
    usagePerAnswer: { inputTokens: 70, cachedInputTokens: 30, outputTokens: 20 },
    reportsMoney: true,
  },
];

/** The command as `scripts/install-real-clis.mjs` has installed it. */
export const installed = (command: string): string =>
  fileURLToPath(new URL(`../real-clis/node_modules/.bin/${command}`, import.meta.url));

/** The configuration of opencode over ACP. */
export const opencodeOverAcp = (modelUrl: string): Readonly<Record<string, unknown>> => {
  const own = realClis.find(({ command }) => command === "opencode")!.configured(modelUrl);
  const { OPENCODE_CONFIG_CONTENT: content } = own.env as Readonly<Record<string, string>>;
  const config = JSON.parse(content ?? "{}");
  config.provider.s.models.m1.limit = { context: 200_000, output: 8_000 };
  return {
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, model: "s/m1", small_model: "s/m1" }) },
  };
};

interface Scene {
  readonly cli: RealCli;
  readonly admin: Client;
  readonly companyId: string;
  readonly model: ModelApi;
  readonly adapterConfig: Readonly<Record<string, unknown>>;
  /** Undefined: the instance's. */
  readonly runner?: string;
}

/** A scene of any program, also of one without an adapter of its own. */
export type AnyScene = Omit<Scene, "cli"> & { readonly cli: Pick<RealCli, "adapterType" | "conversation"> };

export const agentOf = async (
  { cli, admin, companyId, adapterConfig, runner }: AnyScene,
  name: string,
): Promise<string> => {
  const { id } = await admin.agents.create({
    companyId,
    name,
    adapterType: cli.adapterType,
    adapterConfig,
    runtimeConfig: runner === undefined ? {} : { runner },
  });
  return id;
};

/** An agent wakes, reads its task, claims it, comments, finishes, and resumes the session at its next wake. */
export const finishAnIssue = async (scene: Scene): Promise<void> => {
  const { cli, admin, companyId, model } = scene;
  const agentId = await agentOf(scene, "Keeper");
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

  // The requests in which the program sent the model its task and its results.
  const sent = cli.conversation(model);
  for (const part of [
    "The one at the north pier.",
    identifier,
    "woken by issue_assigned",
    "How to work with Boardroom",
    "[200]",
    "[201]",
  ])
    expect(sent).toContain(part);
  expect(sent).not.toMatch(/\[[45]\d\d\]/);

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
  const answer = send("PATCH", "", `{"status":"done","comment":"It was walnut oil."}`);
  model.script([`${api} ${issue}/comments; ${answer}`], "Answered.");
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
  expect((await admin.agents.get({ agentId })).spentMonthlyCents).toBe(spentOnce + (second!.costCents ?? 0));
  expect((await admin.issues.comments({ issueId })).items[0]).toMatchObject({
    body: "It was walnut oil.",
    authorAgentId: agentId,
  });
};

/** An agent finishes an issue with the service's tools alone: no command, no request of its own. Returns the issue's id. */
export const finishWithTools = async (scene: AnyScene): Promise<string> => {
  const { cli, admin, companyId, model } = scene;
  const agentId = await agentOf(scene, "Tool Keeper");
  const { revisionNumber } = await admin.companies.houseRules({ companyId });
  const body = "Give distances in knots of rope.";
  await admin.companies.setHouseRules({ companyId, body, baseRevisionNumber: revisionNumber });
  model.forget();
  model.script(
    [
      { tool: "my_task", args: {} },
      { tool: "check_out", args: {} },
      { tool: "comment", args: { body: "The wick is trimmed." } },
      { tool: "finish_task", args: { status: "done", comment: "That is all." } },
    ],
    "The wick is done.",
  );
  const { id: issueId } = await admin.issues.create({
    companyId,
    title: "Trim the wick",
    description: "Of the north lamp.",
    assigneeAgentId: agentId,
  });
  const [run] = await eventually(
    async () => (await admin.runs.ofIssue({ issueId })).items,
    (runs) => runs.length === 1 && runs.every(({ status }) => status !== "queued" && status !== "running"),
    { withinMs: 90_000, everyMs: 200 },
  );
  const { content } = await admin.runs.log({ runId: run!.id });
  expect(run, content).toMatchObject({ status: "succeeded", error: null, summary: "The wick is done." });
  expect((await admin.issues.get({ issueId })).status, content).toBe("done");
  const comments = (await admin.issues.comments({ issueId, order: "asc" })).items;
  expect(
    comments.map(({ body, authorAgentId, createdByRunId }) => [body, authorAgentId, createdByRunId]),
  ).toEqual([
    ["The wick is trimmed.", agentId, run!.id],
    ["That is all.", agentId, run!.id],
  ]);
  // The model got what the tools answered.
  for (const part of ["Of the north lamp.", "is yours; its status is in_progress", " is done."])
    expect(cli.conversation(model)).toContain(part);
  const asked = JSON.stringify(model.requests.map((request) => request.body));
  expect(asked).toContain(body);
  expect(asked).toMatch(/(AGENTS|CLAUDE|GEMINI|QWEN)\.md|applyTo/);
  return issueId;
};

/** The agent of that finished issue answers a comment in the same session, with the service's tools alone. */
export const answerWithTools = async (
  { cli, admin, model }: Pick<AnyScene, "cli" | "admin" | "model">,
  issueId: string,
): Promise<void> => {
  const [first] = (await admin.runs.ofIssue({ issueId })).items;
  model.forget();
  model.script(
    [
      { tool: "my_task", args: {} },
      { tool: "finish_task", args: { status: "done", comment: "It was the north lamp's." } },
    ],
    "Answered.",
  );
  await admin.issues.comment({ issueId, body: "Which wick was it?", reopen: true });
  const [second] = await eventually(
    async () => (await admin.runs.ofIssue({ issueId })).items,
    (runs) => runs.length === 2 && runs.every(({ finishedAt }) => finishedAt !== null),
    // One program loses a session that is loaded in the minute in which it was made, so its adapter waits.
    { withinMs: 180_000, everyMs: 200 },
  );
  const { content } = await admin.runs.log({ runId: second!.id });
  expect(second, content).toMatchObject({
    status: "succeeded",
    summary: "Answered.",
    sessionIdBefore: first!.sessionIdAfter,
    sessionIdAfter: first!.sessionIdAfter,
  });
  for (const part of ["The wick is done.", "Which wick was it?"])
    expect(cli.conversation(model), content).toContain(part);
  expect((await admin.issues.get({ issueId })).status, content).toBe("done");
  expect((await admin.issues.comments({ issueId })).items[0]).toMatchObject({
    body: "It was the north lamp's.",
    createdByRunId: second!.id,
  });
};

/**
 * An agent works in its workspace as its usual permissions let it: nobody is asked. Nothing of its skills and of its
 * company's rules gets into its commit.
 */
export const buildInWorkspace = async (scene: AnyScene): Promise<void> => {
  const { cli, admin, companyId, model } = scene;
  const assigneeAgentId = await agentOf(scene, "Builder");
  await admin.agents.syncSkills({ agentId: assigneeAgentId, desiredSkills: ["boardroom"] });
  const body = "Build with care.";
  await admin.companies.setHouseRules({ companyId, body, baseRevisionNumber: 0 });
  const tracked = "git ls-files | tr '\\n' ' ' | sed 's/^/Tracked: /; s/$/./'";
  model.forget();
  model.script(
    [
      ...editBuildAndTest,
      tracked,
      { tool: "finish_task", args: { status: "done", comment: "It is built." } },
    ],
    "All is built.",
  );
  const { id: issueId } = await admin.issues.create({ companyId, title: "Add a sum", assigneeAgentId });
  const [run] = await eventually(
    async () => (await admin.runs.ofIssue({ issueId })).items,
    (runs) => runs.length > 0 && runs.every(({ finishedAt }) => finishedAt !== null),
    { withinMs: 90_000, everyMs: 200 },
  );
  const { content } = await admin.runs.log({ runId: run!.id });
  expect(run, content).toMatchObject({ status: "succeeded", summary: "All is built." });
  expect((await admin.interactions.list({ issueId })).items).toEqual([]);
  expect(cli.conversation(model), content).toMatch(/(?<!log\(\\*")2 tests passed/);
  expect(JSON.stringify(model.requests.map((request) => request.body))).toContain(body);
  expect(cli.conversation(model), content).toContain("Tracked: build/sum.js report src/sum.js .");
  expect((await admin.issues.get({ issueId })).status, content).toBe("done");
};

/**
 * The token of a run is in no argument and in no file below the folders: while its program works, after it, and after a run
 * that was stopped. Agents of a company share a home.
 */
export const keepTokenOutOfFiles = async (
  scene: AnyScene & { readonly folders: readonly string[]; readonly scratch: string },
): Promise<void> => {
  const { admin, companyId, model, scratch } = scene;
  const folders = [...scene.folders, scratch];
  const assigneeAgentId = await agentOf(scene, "Watchman");
  const [tokenFile, go] = [join(scratch, "said"), join(scratch, "go")];
  const ended = (runId: string) =>
    eventually(
      () => admin.runs.get({ runId }),
      ({ finishedAt }) => finishedAt !== null,
      { withinMs: 90_000, everyMs: 200 },
    );
  const traces = (token: string) => ({ arguments: argumentsWith(token), files: filesWith(token, folders) });
  for (const end of ["it ends", "it is stopped"] as const) {
    rmSync(tokenFile, { force: true });
    model.forget();
    // A file that the command itself writes has the token backwards.
    const say = `printenv SERVICE_API_KEY | rev > ${tokenFile}.new && mv ${tokenFile}.new ${tokenFile}`;
    model.script([`${say}; while [ ! -e ${go} ]; do sleep 0.1; done`, "echo more"], "All is well.");
    const { id: issueId } = await admin.issues.create({ companyId, title: end, assigneeAgentId });
    await eventually(
      async () => existsSync(tokenFile),
      (isThere) => isThere,
      { withinMs: 90_000, everyMs: 200 },
    );
    const token = [...readFileSync(tokenFile, "utf8").trim()].reverse().join("");
    expect(token.length).toBeGreaterThan(20);
    expect(traces(token)).toEqual({ arguments: [], files: [] });
    const [run] = (await admin.runs.ofIssue({ issueId })).items;
    if (end === "it is stopped") await admin.runs.cancel({ runId: run!.id });
    else writeFileSync(go, "");
    const { status } = await ended(run!.id);
    expect(carriersOf([run!.id])).toEqual([]);
    expect(status).toBe(end === "it ends" ? "succeeded" : "cancelled");
    expect(traces(token)).toEqual({ arguments: [], files: [] });
    rmSync(go, { force: true });
    await admin.issues.update({ issueId, status: "cancelled" });
  }
};

/** An agent's program uses the company's MCP servers, one at a URL and one as a command; removed ones are gone at its next run. */
export const useMcpServers = async (scene: Scene): Promise<void> => {
  const { cli, admin, companyId, model } = scene;
  const agentId = await agentOf(scene, "Weigher");
  const value = "wicker-basket-4711";
  const { id: secretId } = await admin.secrets.create({ companyId, name: "Tools", value });
  const tickets = await startToolServer({ authorization: `Bearer ${value}` });
  const secret = { type: "secret_ref", secretId } as const;
  try {
    const ids = [
      await admin.mcpServers.create({
        companyId,
        name: "tickets",
        url: tickets.url,
        allowPrivateHost: true,
        headers: { Authorization: { ...secret, prefix: "Bearer " } },
        allAgents: true,
      }),
      await admin.mcpServers.create({
        companyId,
        name: "scales",
        command: "node",
        args: ["-e", toolProgram],
        env: { SCALES_KEY: secret },
        agentIds: [agentId],
      }),
    ].map(({ id }) => id);
    const runOnce = async (title: string, closing: string) => {
      model.forget();
      model.script(
        [
          { tool: "lookup", args: { number: "17" } },
          { tool: "weigh", args: {} },
          { tool: "finish_task", args: { status: "done", comment: "That is all." } },
        ],
        closing,
      );
      const { id: issueId } = await admin.issues.create({ companyId, title, assigneeAgentId: agentId });
      const [run] = await eventually(
        async () => (await admin.runs.ofIssue({ issueId })).items,
        (runs) => runs.length > 0 && runs.every(({ status }) => status !== "queued" && status !== "running"),
        { withinMs: 90_000, everyMs: 200 },
      );
      const { content } = await admin.runs.log({ runId: run!.id });
      const events = JSON.stringify(await admin.runs.events({ runId: run!.id }));
      expect(content + events).not.toContain(value);
      return { content, summary: run!.summary };
    };
    const { content, summary } = await runOnce("Weigh it", "It is weighed.");
    expect(summary, content).toBe("It is weighed.");
    const conversation = cli.conversation(model);
    expect(conversation, content).toContain("Ticket 17 is about fog.");
    expect(conversation, content).toContain(`A key of ${value.length} characters; in arguments: 0;`);
    for (const mcpServerId of ids) await admin.mcpServers.remove({ mcpServerId });
    const callsBefore = tickets.methods.length;
    expect((await runOnce("Weigh it again", "It is weighed.")).summary).toBe("There is no tool lookup.");
    expect(tickets.methods).toHaveLength(callsBefore);
  } finally {
    tickets.close();
  }
};
