import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { startModelApi } from "../support/model-api/model-api.ts";
import type { ModelApi } from "../support/model-api/scripted-model.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { installed, realClis } from "../support/real-clis.ts";
import { carriersOf } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

let folder: string;
let model: ModelApi;
const started: ServiceProgram[] = [];

afterEach(async () => {
  await started.at(-1)?.stop("SIGINT");
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(realClis)("the $command command line, in the middle of its work", (cli) => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "goes on when its service is replaced by %s, and each of its words and costs counts once",
    async (signal) => {
      folder = await mkdtemp(join(tmpdir(), `${cli.command}-handover-`));
      const dataDir = await preparedDataDirectory(join(folder, "data"));
      model = await startModelApi(cli.protocol);
      const env = {
        // The program keeps the address that it was given.
        PORT: String(await freePort()),
        HOME: join(folder, "home"),
        SERVICE_HANDOVER_SEC: "120",
        SERVICE_LOG_LEVEL: "error",
      };
      const serve = async () => {
        const service = await serveProgram(dataDir, env);
        started.push(service);
        return service.board();
      };
      let board = await serve();
      const { id: companyId } = await board.companies.create({ name: "Lighthouse" });
      const { id: assigneeAgentId } = await board.agents.create({
        companyId,
        name: "Keeper",
        adapterType: cli.adapterType,
        adapterConfig: { command: installed(cli.command), ...cli.configured(model.url) },
      });
      const steps = [
        { tool: "check_out", args: {} },
        { tool: "comment", args: { body: "Before the restart." } },
        `until [ -e ${join(folder, "go")} ]; do sleep 0.1; done`,
        { tool: "comment", args: { body: "After the restart." } },
        { tool: "finish_task", args: { status: "done", comment: "That is all." } },
      ];
      model.script(steps, "The lamp is lit.");
      const { id: issueId } = await board.issues.create({ companyId, title: "Light it", assigneeAgentId });
      const messagesOf = async () =>
        (await board.issues.comments({ issueId, order: "asc" })).items.map(({ body }) => body);
      await eventually(messagesOf, (messages) => messages.length === 1);
      const [run] = (await board.runs.ofIssue({ issueId })).items;
      const pids = carriersOf([run!.id]);
      await started[0]!.stop(signal);
      board = await serve();
      await writeFile(join(folder, "go"), "");
      const ended = await eventually(
        () => board.runs.get({ runId: run!.id }),
        ({ status }) => status !== "running",
      );
      const { content } = await board.runs.log({ runId: run!.id });
      expect(ended, content).toMatchObject({
        status: "succeeded",
        error: null,
        summary: "The lamp is lit.",
        sessionIdAfter: expect.stringMatching(cli.session),
        usage: { outputTokens: (steps.length + 1) * cli.usagePerAnswer.outputTokens },
      });
      expect(await messagesOf()).toEqual(["Before the restart.", "After the restart.", "That is all."]);
      expect((await board.issues.get({ issueId })).status).toBe("done");
      expect((await board.runs.ofIssue({ issueId })).items).toHaveLength(1);
      const reported = (await board.activity.list({ companyId })).items.filter(
        ({ action }) => action === "cost.reported",
      );
      expect(reported).toHaveLength(1);
      expect(pids.length).toBeGreaterThan(0);
      expect(carriersOf([run!.id])).toEqual([]);
    },
  );
});
