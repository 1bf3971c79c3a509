import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { eventually } from "../support/eventually.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

// Below /tmp it would lie in the folder that each run has of its own.
const folder = mkdtempSync("/var/lib/hidden-paths-");
chmodSync(folder, 0o755);
const dataDir = join(folder, "data");
const shown = join(folder, "shown");
const hidden = join(folder, "hidden");
/** A folder in which agents may put links, too. */
const bin = join(folder, "bin");

let service: ServiceProgram;
let board: Client;
let companyId: string;

/** Runs a program of an agent that an instance admin configures, and returns the failure. */
const failureOf = async (adapterConfig: Record<string, unknown>): Promise<string> => {
  const { id: agentId } = await board.agents.create({
    companyId,
    name: `Agent ${Math.random()}`,
    adapterType: "process",
    adapterConfig: adapterConfig as never,
  });
  const { id } = await board.agents.invoke({ agentId });
  const run = await eventually(
    () => board.runs.get({ runId: id! }),
    ({ status }) => status !== "queued" && status !== "running",
  );
  expect(run.status).toBe("failed");
  return run.error ?? "";
};

const checksOf = async (adapterConfig: Record<string, unknown>) =>
  (
    await board.adapters.testEnvironment({
      companyId,
      adapterType: "process",
      adapterConfig: adapterConfig as never,
    })
  ).checks;

const howToShow =
  "An instance admin shows it: by setting it in the agent's configuration, or for all agents in SERVICE_AGENT_PATHS.";
const shell = (script: string) => ({ command: "sh", args: ["-c", script] });

describe.skipIf(process.getuid?.() !== 0)("A path that the sandbox hides", () => {
  beforeAll(async () => {
    for (const path of [shown, hidden, bin]) mkdirSync(path);
    writeFileSync(join(hidden, "notes.txt"), "of the host");
    writeFileSync(join(hidden, "interpreter"), "#!/bin/sh\necho here\n", { mode: 0o755 });
    writeFileSync(join(hidden, "tool"), "#!/bin/sh\necho here\n", { mode: 0o755 });
    writeFileSync(join(shown, "script"), `#!${hidden}/interpreter\n`, { mode: 0o755 });
    symlinkSync(join(hidden, "tool"), join(bin, "tool"));
    service = await serveProgram(await preparedDataDirectory(dataDir), {
      SERVICE_SANDBOX: "required",
      SERVICE_AGENT_PATHS: `${shown}, ${bin}:rw`,
    });
    board = await service.board();
    companyId = (await board.companies.create({ name: "Acme" })).id;
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("and that a script of the agent missed is named in the run's error, with how to show it", async () => {
    const path = join(hidden, "notes.txt");
    expect(await failureOf(shell(`cat ${path}`))).toContain(
      `No such file or directory (exit code 1). The sandbox hides ${path} from the agent. ${howToShow}`,
    );
  });

  it("as an argument is named in the run's error, and before that by the environment test", async () => {
    const config = { command: "node", args: [`--require=${hidden}/hook.js`, "-e", "0"] };
    expect(await failureOf(config)).toContain(`The sandbox hides ${hidden}/hook.js from the agent.`);
    expect(await checksOf(config)).toContainEqual({
      level: "warn",
      code: "argument_hidden",
      message: `The sandbox hides ${hidden}/hook.js from the agent. ${howToShow}`,
    });
  });

  it("as the interpreter of a script is named in the run's error and by the environment test", async () => {
    const config = { command: join(shown, "script") };
    const sentence = `The first line of ${shown}/script names ${hidden}/interpreter as its interpreter. The sandbox hides ${hidden}/interpreter from the agent. ${howToShow}`;
    expect(await failureOf(config)).toBe(sentence);
    expect(await checksOf(config)).toContainEqual({
      level: "error",
      code: "command_hidden",
      message: sentence,
    });
  });

  it("to which a command leads is named in the run's error and by the environment test", async () => {
    const config = { command: "tool", env: { PATH: `/usr/bin:/bin:${bin}` } };
    const sentence = `The command "tool" was not found. The sandbox hides ${bin}/tool from the agent. ${howToShow}`;
    expect(await failureOf(config)).toBe(sentence);
    expect(await checksOf(config)).toContainEqual({
      level: "error",
      code: "command_hidden",
      message: sentence,
    });
  });

  it("in the temporary folder of the machine is not that of the run, and the sentence says so", async () => {
    const sentence = `The sandbox hides /tmp/hidden/notes.txt: a run has an empty temporary folder of its own. ${howToShow}`;
    expect(await failureOf(shell("cat /tmp/hidden/notes.txt"))).toContain(sentence);
    const given = { command: "cat", args: ["--file=/tmp/hidden/notes.txt"] };
    expect((await checksOf(given)).map(({ message }) => message)).toContain(sentence);
  });

  it("is reported in the same words whether or not it exists, also in the data directory", async () => {
    const [there = ""] = readdirSync(dataDir).filter((name) => name === "master.key");
    const errorOf = async (path: string) => (await failureOf(shell(`cat ${path}`))).replaceAll(path, "it");
    expect(await errorOf(join(hidden, "notes.txt"))).toBe(await errorOf(join(hidden, "missing")));
    const ofData = await errorOf(join(dataDir, there));
    expect(ofData).toContain("The sandbox hides it: it lies in the data directory of the service.");
    expect(ofData).toBe(await errorOf(join(dataDir, "missing")));
  });

  it("is not mentioned where a program fails for another reason", async () => {
    expect(await failureOf({ ...shell("exit 3"), args: ["-c", "exit 3", join(shown, "script")] })).toBe(
      "The program ended with exit code 3",
    );
  });
});
