import { mkdtemp, rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { geminiGenerate } from "../support/model-api/gemini-generate.ts";
import { type ModelProtocol, startModelApi } from "../support/model-api/model-api.ts";
import { openaiChat } from "../support/model-api/openai-chat.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { noTemporaryFolder, scratchFolder, workWithPeople } from "../support/people-and-programs.ts";
import {
  answerWithTools,
  buildInWorkspace,
  finishWithTools,
  keepTokenOutOfFiles,
  opencodeOverAcp,
  type RealCli,
  realClis,
} from "../support/real-clis.ts";
import { startService, type TestService } from "../support/service.ts";

// The whole product with real agents over ACP; only the model is scripted.

const programs = fileURLToPath(new URL("node_modules/.bin", import.meta.url));

interface Agent {
  readonly name: string;
  readonly protocol: ModelProtocol;
  /** The agent's configuration over ACP. */
  readonly configured: (url: string) => Readonly<Record<string, unknown>>;
  readonly conversation: (model: ModelApi) => string;
  /** Opens a session, and so tells its models, without a sign-in. */
  readonly tellsModels: boolean;
}

const ownCli = (command: string): RealCli => realClis.find((cli) => cli.command === command)!;
const bodies = ({ requests }: ModelApi) => JSON.stringify(requests.map(({ body }) => body));

const agents: readonly Agent[] = [
  {
    ...ownCli("claude"),
    name: "claude",
    configured: (url) => ({ env: ownCli("claude").configured(url).env }),
    tellsModels: true,
  },
  {
    ...ownCli("codex"),
    name: "codex",
    configured: (url) => ({
      env: {
        OPENAI_API_KEY: "any",
        CODEX_CONFIG: JSON.stringify({
          model: "scripted",
          model_provider: "s",
          model_providers: {
            s: { name: "s", base_url: `${url}/v1`, env_key: "OPENAI_API_KEY", wire_api: "responses" },
          },
        }),
      },
    }),
    tellsModels: false,
  },
  {
    ...ownCli("opencode"),
    name: "opencode",
    configured: opencodeOverAcp,
    tellsModels: true,
  },
  {
    name: "gemini",
    protocol: geminiGenerate,
    // Without a model the program first asks one which model to ask.
    configured: (url) => ({
      env: { GEMINI_API_KEY: "any", GOOGLE_GEMINI_BASE_URL: url },
      extraArgs: ["--model", "gemini-2.5-pro"],
    }),
    conversation: bodies,
    tellsModels: false,
  },
  {
    name: "qwen",
    protocol: openaiChat,
    configured: (url) => ({
      env: { OPENAI_API_KEY: "any", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "scripted" },
    }),
    conversation: bodies,
    tellsModels: false,
  },
  {
    name: "copilot",
    protocol: openaiChat,
    configured: (url) => ({
      env: {
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: "any",
        COPILOT_MODEL: "scripted",
      },
    }),
    conversation: bodies,
    tellsModels: false,
  },
];

const separations = process.getuid?.() === 0 ? ["off", "required"] : ["off"];
/** With people, and in search of tokens, one is enough: the one that users have. */
const usual = separations.at(-1);

describe.each(agents.flatMap((agent) => separations.map((sandbox) => ({ ...agent, sandbox }))))(
  "$name over ACP in the service, sandbox $sandbox",
  ({ sandbox, name, protocol, configured, conversation, tellsModels }) => {
    const cli = { adapterType: "acp", conversation };
    let model: ModelApi;
    let home: string;
    let scratch: string;
    let service: TestService;
    beforeAll(async () => {
      model = await startModelApi(protocol);
      scratch = await scratchFolder();
      home = await mkdtemp(join(noTemporaryFolder, `acp-${name}-home-`));
      service = await startService({
        below: noTemporaryFolder,
        env: {
          HOME: home,
          PATH: `${programs}${delimiter}${process.env.PATH}`,
          SERVICE_SANDBOX: sandbox,
          SERVICE_AGENT_PATHS: [
            fileURLToPath(new URL("node_modules", import.meta.url)),
            `${scratch}:rw`,
          ].join(),
        },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await model?.close();
      for (const folder of [home, scratch]) if (folder) await rm(folder, { recursive: true, force: true });
    });
    it("finishes an issue with the service's tools alone, and answers in its session at the next wake", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Pier" });
      const adapterConfig = { agent: name, ...configured(model.url) };
      const issueId = await finishWithTools({ cli, admin, companyId, model, adapterConfig });
      await answerWithTools({ cli, admin, model }, issueId);
    });
    it("edits, builds and tests inside its workspace under its usual permissions, without a question", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Yard" });
      const adapterConfig = { agent: name, ...configured(model.url) };
      await buildInWorkspace({ cli, admin, companyId, model, adapterConfig });
    });
    it.runIf(sandbox === usual)("keeps the token of a run out of arguments and of files", async () => {
      const { admin, dataDir } = service;
      const { id: companyId } = await admin.companies.create({ name: "Watch House" });
      const adapterConfig = { agent: name, graceSec: 1, ...configured(model.url) };
      const folders = [home, dataDir];
      await keepTokenOutOfFiles({ cli, admin, companyId, model, adapterConfig, folders, scratch });
    });
    it.runIf(sandbox === usual)(
      "asks people, hears what they say while it works, and continues after an interrupt",
      async () => {
        const { admin } = service;
        const { id: companyId } = await admin.companies.create({ name: "Harbour" });
        const adapterConfig = { agent: name, ...configured(model.url) };
        await workWithPeople({ cli, admin, companyId, model, adapterConfig, program: name, scratch });
      },
    );
    it("lists the models that a session of the program offers", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Mole" });
      const asked = { companyId, adapterType: "acp", program: name };
      const models = await admin.adapters.models(asked);
      const detected = await admin.adapters.detectModel(asked);
      if (!tellsModels) expect([models, detected]).toEqual([[], null]);
      else expect(models.map(({ id }) => id)).toContain(detected?.model);
      expect(await admin.adapters.models({ companyId, adapterType: "acp" })).toEqual([]);
    });
  },
);
