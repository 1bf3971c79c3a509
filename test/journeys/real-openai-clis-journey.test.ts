import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ModelProtocol, startModelApi } from "../support/model-api/model-api.ts";
import { openaiChat } from "../support/model-api/openai-chat.ts";
import { openaiResponses } from "../support/model-api/openai-responses.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

// The whole product with the real command lines. Only the model is scripted.
vi.setConfig({ testTimeout: 180_000 });

const api = `curl -sS -H "Authorization: Bearer $SERVICE_API_KEY" -H "Content-Type: application/json"`;
const issue = `"$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID"`;
const send = (method: string, to: string, body: string) =>
  `${api} -w ' [%{http_code}]' -X ${method} ${issue}${to} -d "${body.replaceAll('"', '\\"')}"`;

interface Cli {
  readonly command: string;
  readonly adapterType: string;
  readonly protocol: ModelProtocol;
  /** Writes what the program reads of its provider; answers with the agent's adapterConfig. */
  readonly prepare: (home: string, modelUrl: string) => Promise<Readonly<Record<string, unknown>>>;
  readonly conversation: (model: ModelApi) => string;
  readonly session: RegExp;
  readonly reportsMoney: boolean;
}

const clis: readonly Cli[] = [
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
    reportsMoney: true,
  },
];

describe.each(clis)("the $command command line in the service", (cli) => {
  const program = fileURLToPath(new URL(`../real-clis/node_modules/.bin/${cli.command}`, import.meta.url));
  let model: ModelApi;
  let home: string;
  let service: TestService;
  let adapterConfig: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    if (!existsSync(program) || spawnSync(program, ["--version"]).status !== 0)
      throw new Error(
        `The ${cli.command} command line is not installed for the tests. Run \`node scripts/install-real-clis.mjs\`.`,
      );
    model = await startModelApi(cli.protocol);
    home = await mkdtemp(join(tmpdir(), `${cli.command}-home-`));
    adapterConfig = { command: program, ...(await cli.prepare(home, model.url)) };
    service = await startService({ env: { HOME: home } });
  }, 60_000);
  afterAll(async () => {
    await service?.stop();
    await model?.close();
    if (home) await rm(home, { recursive: true, force: true });
  });

  it("wakes, reads its task, claims it, comments, finishes; and goes on with the session when it is woken again", async () => {
    const { admin } = service;
    const { id: companyId } = await admin.companies.create({ name: "Lighthouse" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Keeper",
      adapterType: cli.adapterType,
      adapterConfig,
    });
    model.script(
      [
        `echo "woken by $SERVICE_WAKE_REASON"; ${api} ${issue}`,
        send(
          "POST",
          "/checkout",
          `{"agentId":"$SERVICE_AGENT_ID","expectedStatuses":["todo","in_progress"]}`,
        ),
        send("POST", "/comments", `{"body":"The lamp burns walnut oil."}`),
        send("PATCH", "", `{"status":"done","comment":"That is all."}`),
      ],
      "The lamp is lit.",
    );
    const { id: issueId } = await admin.issues.create({
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
    expect(first).toMatchObject({ status: "succeeded", error: null, summary: "The lamp is lit." });
    expect(first!.sessionIdAfter).toMatch(cli.session);
    expect(first!.usage?.outputTokens).toBe(5 * 20);
    expect(first!.costCents !== null).toBe(cli.reportsMoney);
    const told = cli.conversation(model);
    expect(told).toContain("The one at the north pier.");
    expect(told).toContain("woken by issue_assigned");
    expect(told).toContain("[201]");
    expect(told).not.toMatch(/\[[45]\d\d\]/);
    expect(await admin.issues.get({ issueId })).toMatchObject({ status: "done", checkoutRunId: null });
    const comments = (await admin.issues.comments({ issueId, order: "asc" })).items;
    expect(comments.map(({ body }) => body)).toEqual(["The lamp burns walnut oil.", "That is all."]);

    // Again, with the conversation of before.
    model.forget();
    model.script([send("PATCH", "", `{"status":"done","comment":"It was walnut oil."}`)], "Answered.");
    await admin.issues.comment({ issueId, body: "Which oil was it?", reopen: true });
    const [second] = await ended(2);
    expect(second).toMatchObject({
      status: "succeeded",
      sessionIdBefore: first!.sessionIdAfter,
      sessionIdAfter: first!.sessionIdAfter,
    });
    expect(cli.conversation(model)).toContain("The lamp is lit.");
    expect(cli.conversation(model)).toContain("Which oil was it?");
    expect((await admin.issues.get({ issueId })).status).toBe("done");
  });
});
