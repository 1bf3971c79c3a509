import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModelApi } from "../support/model-api/model-api.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { buildInWorkspace, finishWithTools, type RealCli, realClis } from "../support/real-clis.ts";
import { startService, type TestService } from "../support/service.ts";

// The whole product with real agents over ACP; only the model is scripted.

const programs = fileURLToPath(new URL("node_modules/.bin", import.meta.url));

/** The agents' configurations over ACP, from those of the same programs' own adapters. */
const configured: Readonly<Record<string, (url: string, own: RealCli) => Readonly<Record<string, unknown>>>> =
  {
    claude: (url, own) => ({ agent: "claude", env: own.configured(url).env }),
    codex: (url) => ({
      agent: "codex",
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
    opencode: (url, own) => {
      const { OPENCODE_CONFIG_CONTENT: content } = own.configured(url).env as Readonly<
        Record<string, string>
      >;
      const config = JSON.parse(content ?? "{}");
      config.provider.s.models.m1.limit = { context: 200_000, output: 8_000 };
      return {
        agent: "opencode",
        env: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...config, model: "s/m1", small_model: "s/m1" }) },
      };
    },
  };

const separations = process.getuid?.() === 0 ? ["off", "required"] : ["off"];

describe.each(realClis.flatMap((cli) => separations.map((sandbox) => ({ ...cli, sandbox }))))(
  "$command over ACP in the service, sandbox $sandbox",
  ({ sandbox, ...own }) => {
    const cli: RealCli = { ...own, adapterType: "acp" };
    let model: ModelApi;
    let home: string;
    let service: TestService;
    beforeAll(async () => {
      model = await startModelApi(cli.protocol);
      home = await mkdtemp(join(tmpdir(), `acp-${cli.command}-home-`));
      service = await startService({
        env: {
          HOME: home,
          PATH: `${programs}${delimiter}${process.env.PATH}`,
          SERVICE_SANDBOX: sandbox,
          SERVICE_AGENT_PATHS: fileURLToPath(new URL("node_modules", import.meta.url)),
        },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await model?.close();
      if (home) await rm(home, { recursive: true, force: true });
    });
    it("finishes an issue with the service's tools alone", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Pier" });
      const adapterConfig = configured[cli.command]!(model.url, own);
      await finishWithTools({ cli, admin, companyId, model, adapterConfig });
    });
    it("edits, builds and tests inside its workspace under its usual permissions, without a question", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Yard" });
      const adapterConfig = configured[cli.command]!(model.url, own);
      await buildInWorkspace({ cli, admin, companyId, model, adapterConfig });
    });
    it("lists the models that a session of the program offers", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Mole" });
      const asked = { companyId, adapterType: "acp", program: cli.command };
      const models = await admin.adapters.models(asked);
      const detected = await admin.adapters.detectModel(asked);
      // codex opens no session for a user who is not signed in.
      if (cli.command === "codex") expect([models, detected]).toEqual([[], null]);
      else expect(models.map(({ id }) => id)).toContain(detected?.model);
      expect(await admin.adapters.models({ companyId, adapterType: "acp" })).toEqual([]);
    });
  },
);
