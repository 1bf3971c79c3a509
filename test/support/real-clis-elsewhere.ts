import { afterAll, beforeAll, describe, it } from "vitest";
import { agentImage, programOf } from "./agent-image.ts";
import { freePort } from "./free-port.ts";
import { startModelApi } from "./model-api/model-api.ts";
import { finishAnIssue, realClis } from "./real-clis.ts";
import { startService, type TestService } from "./service.ts";

/** Programs of the machine that the command lines and their scripts use. */
const tools = ["bash", "curl", "env", "mkdir", "rm", "head", "tr", "uname", "mktemp", "pwd", "which"];

/** An image with the command lines: an archive, as `agentImage` makes it. */
export const realCliImage = (folder: string, name: string): Promise<string> =>
  agentImage(
    folder,
    name,
    Object.fromEntries([
      ...tools.map((tool) => [tool, programOf(tool)]),
      ...realClis.map(({ command, program }) => [command, program()]),
    ]),
  );

/** The real command lines finish their issues on an engine, which reaches this machine at `host`. */
export const realClisFinishIssues = (
  host: string,
  /** The operator's template. */
  template: () => string,
) => {
  describe.each(realClis)("the $command command line", (cli) => {
    let service: TestService;
    beforeAll(async () => {
      const port = await freePort(host);
      service = await startService({
        env: { HOST: host, PORT: String(port), SERVICE_AGENT_URL: `http://${host}:${port}` },
        templates: { engine: template() },
      });
    });
    afterAll(() => service?.stop());

    it("wakes, reads its task, claims it, comments, finishes, and resumes the session at the next wake", async () => {
      const model = await startModelApi(cli.protocol, host);
      try {
        const { admin } = service;
        const { id: companyId } = await admin.companies.create({ name: "Lighthouse" });
        const adapterConfig = cli.configured(model.url);
        await finishAnIssue({ cli, admin, companyId, model, adapterConfig, runner: "engine" });
      } finally {
        await model.close();
      }
    });
  });
};
