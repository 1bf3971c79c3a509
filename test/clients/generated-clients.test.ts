import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const generated = join(folder, "generated");
const description = join(generated, "openapi.json");
const tool = async (name: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(join(folder, "node_modules", ".bin", name), args, {
    cwd: folder,
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
};

let service: TestService;

beforeAll(async () => {
  service = await startService();
  await rm(generated, { recursive: true, force: true });
  await mkdir(generated);
  const { body } = await service.request("GET", "/api/openapi.json");
  await writeFile(description, JSON.stringify(body));
  await tool("openapi-typescript", description, "-o", join(generated, "openapi-typescript.ts"));
  await tool(
    "openapi-ts",
    "-i",
    description,
    "-o",
    join(generated, "hey-api"),
    "-c",
    "@hey-api/client-fetch",
  );
});
afterAll(async () => {
  await service?.stop();
  await rm(generated, { recursive: true, force: true });
});

describe("The OpenAPI description", () => {
  it("has no problem for Redocly", async () => {
    await tool("redocly", "lint", description, "--max-problems=1");
  });

  it("has no problem for Spectral", async () => {
    const found = await tool(
      "spectral",
      "lint",
      description,
      "-r",
      "spectral.yaml",
      "-f",
      "json",
      "-F",
      "hint",
      "--quiet",
    );
    expect(JSON.parse(found)).toEqual([]);
  });

  it("gives clients that compile with the jobs written against them", async () => {
    await tool("tsc", "-p", ".");
  });
});

describe.each(["openapi-fetch", "hey-api"])("A client generated for %s", (client) => {
  it("makes a company, an agent and an issue, and the agent finishes it through the same client", async () => {
    const program = join(generated, `${client}.mjs`);
    await build({
      entryPoints: [join(folder, "jobs", `${client}.ts`)],
      outfile: program,
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "silent",
    });
    const { stdout } = await promisify(execFile)(process.execPath, [program, "board"], {
      env: { PATH: process.env.PATH, SERVICE_API_URL: service.url, SERVICE_API_KEY: service.token },
    });
    const { issueId } = JSON.parse(stdout) as { issueId: string };
    const issue = await eventually(
      () => service.admin.issues.get({ issueId }),
      ({ status }) => status === "done",
    );
    const comments = (await service.admin.issues.comments({ issueId })).items;
    expect(comments.map(({ body }) => body)).toEqual([`Claimed ${issue.identifier}.`]);
  });
});
