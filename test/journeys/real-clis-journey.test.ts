import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { startModelApi } from "../support/model-api/model-api.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { noTemporaryFolder, scratchFolder, workWithPeople } from "../support/people-and-programs.ts";
import {
  buildInWorkspace,
  finishAnIssue,
  finishWithTools,
  installed,
  keepTokenOutOfFiles,
  realClis,
  useMcpServers,
} from "../support/real-clis.ts";
import { startService, type TestService } from "../support/service.ts";

// Tests the whole product with the real command lines; only the model is scripted.
vi.setConfig({ testTimeout: 180_000 });

/** As plain children of the service, and with the users and namespaces that are the default under root. */
const separations = process.getuid?.() === 0 ? ["off", "required"] : ["off"];
/** With people, and in search of tokens, one is enough: the one that users have. */
const usual = separations.at(-1);

describe.each(realClis.flatMap((cli) => separations.map((sandbox) => ({ ...cli, sandbox }))))(
  "the $command command line in the service, sandbox $sandbox",
  ({ sandbox, ...cli }) => {
    const program = installed(cli.command);
    let model: ModelApi;
    let home: string;
    let scratch: string;
    let service: TestService;

    beforeAll(async () => {
      if (!existsSync(program) || spawnSync(program, ["--version"]).status !== 0)
        throw new Error(
          `The ${cli.command} command line is not installed for the tests. Run \`node scripts/install-real-clis.mjs\`.`,
        );
      model = await startModelApi(cli.protocol);
      home = await mkdtemp(join(noTemporaryFolder, `${cli.command}-home-`));
      scratch = await scratchFolder();
      service = await startService({
        below: noTemporaryFolder,
        env: { HOME: home, SERVICE_SANDBOX: sandbox, SERVICE_AGENT_PATHS: `${scratch}:rw` },
      });
    });
    afterAll(async () => {
      await service?.stop();
      await model?.close();
      for (const folder of [home, scratch]) if (folder) await rm(folder, { recursive: true, force: true });
    });

    it("wakes, reads its task, claims it, comments, finishes, and resumes the session at the next wake", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Lighthouse" });
      const adapterConfig = { command: program, ...cli.configured(model.url) };
      await finishAnIssue({ cli, admin, companyId, model, adapterConfig });
    });

    it("finishes an issue with the service's tools alone", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Pier" });
      const adapterConfig = { command: program, ...cli.configured(model.url) };
      await finishWithTools({ cli, admin, companyId, model, adapterConfig });
    });

    it("finishes an issue with the service's tools where it must ask, without a question", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Quay" });
      const adapterConfig = { command: program, ...cli.configured(model.url), permissions: "ask" };
      await finishWithTools({ cli, admin, companyId, model, adapterConfig });
    });

    it("edits, builds and tests inside its workspace under its usual permissions, without a question", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Yard" });
      const { dangerouslySkipPermissions, ...settings } = cli.configured(model.url);
      const adapterConfig = { command: program, ...settings };
      await buildInWorkspace({ cli, admin, companyId, model, adapterConfig });
    });

    it.runIf(sandbox === usual)(
      "asks people, hears what they say while it works, and continues after an interrupt",
      async () => {
        const { admin } = service;
        const { id: companyId } = await admin.companies.create({ name: "Harbour" });
        const { dangerouslySkipPermissions, ...settings } = cli.configured(model.url);
        const adapterConfig = { command: program, ...settings };
        await workWithPeople({ cli, admin, companyId, model, adapterConfig, program: cli.command, scratch });
      },
      600_000,
    );

    // codex is then another program; the others ask for the command.
    const policies = cli.command === "codex" ? ["allow", "ask"] : ["allow"];
    it.runIf(sandbox === usual).each(policies)(
      "keeps the token of a run out of arguments and of files, with permissions %s",
      async (permissions) => {
        const { admin, dataDir } = service;
        const { id: companyId } = await admin.companies.create({ name: "Watch House" });
        const { dangerouslySkipPermissions, ...settings } = cli.configured(model.url);
        const adapterConfig = { command: program, ...settings, permissions, graceSec: 1 };
        const folders = [home, dataDir];
        await keepTokenOutOfFiles({ cli, admin, companyId, model, adapterConfig, folders, scratch });
      },
    );

    it("uses the MCP servers of its company, whose secrets are in no argument and no log, until they are removed", async () => {
      const { admin } = service;
      const { id: companyId } = await admin.companies.create({ name: "Scale House" });
      const adapterConfig = { command: program, ...cli.configured(model.url) };
      await useMcpServers({ cli, admin, companyId, model, adapterConfig });
    });
  },
);
