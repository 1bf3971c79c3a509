import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pc from "picocolors";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cli } from "../../hosts/cli/cli.ts";
import { adapterFiles } from "../../hosts/cli/commands/new-adapter.ts";
import type { Terminal } from "../../hosts/cli/terminal.ts";
import { type StubAnswer, stubService } from "../support/stub-service.ts";

const id = "0193a0f0-0000-7000-8000-000000000001";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cli-adapters-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = async (args: readonly string[], answer: unknown = {}) => {
  const stub = await stubService((): StubAnswer => ({ json: answer }));
  let out = "";
  let err = "";
  const terminal = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    stdin: async () => "",
    env: { SERVICE_API_URL: stub.url, SERVICE_API_KEY: "brd_test" },
    width: null,
    colors: pc.createColors(false),
    now: () => new Date("2026-11-21T12:00:00.000Z"),
  } as Terminal;
  const exitCode = await cli(args, terminal);
  await stub.close();
  return { exitCode, out, err, requests: stub.requests };
};

describe("an agent's skills on the command line", () => {
  const snapshot = {
    adapterType: "adapter_a_local",
    supported: true,
    mode: "ephemeral",
    desiredSkills: ["tides"],
    entries: [
      {
        key: "tides",
        runtimeName: "tides",
        desired: true,
        managed: true,
        state: "configured",
        detail: "Knows them.",
      },
      {
        key: "gone",
        runtimeName: "gone",
        desired: true,
        managed: true,
        state: "missing",
        locationLabel: "skills/gone",
      },
    ],
    warnings: ["skills/Bad is not on offer."],
  };

  it("are a table, with problems below it", async () => {
    const { out, exitCode } = await run(["agents", "skills", id], snapshot);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^tides +configured +– +Knows them\.$/m);
    expect(out).toMatch(/^gone +missing +skills\/gone +–$/m);
    expect(out).toContain("! skills/Bad is not on offer.");
  });

  it("are set by a list of keys", async () => {
    const { requests, exitCode } = await run(
      ["agents", "sync-skills", id, "--desired-skills", "tides,boardroom"],
      snapshot,
    );
    expect(exitCode).toBe(0);
    expect(requests.at(-1)).toMatchObject({ method: "POST", url: `/api/agents/${id}/skills/sync` });
    expect(requests.at(-1)?.body).toEqual({ desiredSkills: ["tides", "boardroom"] });
  });

  it("of an unsupported kind are reported", async () => {
    const none = { ...snapshot, supported: false, mode: "unsupported", entries: [], warnings: [] };
    expect((await run(["agents", "skills", id], none)).out).toBe(
      "Agents of adapter_a_local have no skills.\n",
    );
  });
});

describe("the detected model on the command line", () => {
  const detect = (answer: unknown, ...more: string[]) =>
    run(["adapters", "detect-model", id, "adapter_a_local", ...more], answer);

  it("is shown with its source", async () => {
    const { out } = await detect({
      model: "opus",
      provider: "anthropic",
      source: "settings",
      candidates: ["opus", "x"],
    });
    expect(out).toMatch(/model +opus\n +provider +anthropic\n +found in +settings\n +also found +x/);
  });

  it("may be absent", async () => {
    expect(await detect(null)).toMatchObject({
      exitCode: 0,
      out: "No model is configured where the adapter looks.\n",
    });
    expect(await detect(null, "--json")).toMatchObject({ exitCode: 0, out: "null\n", err: "" });
    expect(await detect(null, "--quiet")).toMatchObject({ exitCode: 0, out: "\n" });
  });
});

describe("a transcript on the command line", () => {
  it("prints each entry by its kind, and reports further entries", async () => {
    const ts = "2026-11-21T12:00:00.000Z";
    const entries = [
      { kind: "init", ts, model: "m", sessionId: "s" },
      { kind: "assistant", ts, text: "Hello.\u001b[2J" },
      { kind: "tool_call", ts, name: "Bash", input: { command: "ls" } },
      { kind: "tool_result", ts, toolUseId: "1", content: "a\nb", isError: false },
      { kind: "assistant", ts, text: "I look.\nSo.", parentToolUseId: "1" },
      { kind: "stdout", ts, text: "plain" },
      { kind: "news", ts, what: 1 },
      { kind: "result", ts, text: "", isError: false, costUsd: 0.5 },
    ];
    const answer = {
      runId: id,
      parsed: true,
      notParsedReason: null,
      complete: false,
      nextOffset: 99,
      entries,
    };
    const { out } = await run(["runs", "transcript", id], answer);
    expect(out).toBe(
      'session s m\n● Hello.\n→ Bash ls\n  │ a\n  │ b\n    ● I look.\n    So.\nplain\nnews {"what":1}\ndone, $0.5000\nMore entries follow: --offset 99\n',
    );
  });
});

describe("boardroom adapters check", () => {
  beforeEach(async () => {
    for (const [name, text] of Object.entries(adapterFiles("light-house")))
      await writeFile(join(folder, name), text);
  });

  it.each([
    [
      "an ES module",
      "export const parseStdoutLine = (line, ts) => [{ kind: 'stdout', ts, text: line }];",
      null,
    ],
    [
      "an ES module that imports",
      "import x from './x.js'; export const parseStdoutLine = () => x;",
      /stand alone/,
    ],
    ["no JavaScript", "export const = ;", /Expected identifier/],
  ])("judges a UI parser as the service does: %s", async (_what, text, problem) => {
    const directory = join(folder, `parser`);
    await mkdir(directory);
    const exports = { ".": "./index.js", "./server": "./index.js", "./ui-parser": "./ui.js" };
    await writeFile(join(directory, "package.json"), JSON.stringify({ name: "p", type: "module", exports }));
    await writeFile(join(directory, "index.js"), "export const type = 'p';");
    await writeFile(join(directory, "ui.js"), text);
    const { out } = await run(["adapters", "check", directory, "--json"]);
    const judged = JSON.parse(out).find(({ rule }: { rule: string }) => rule.startsWith("the UI parser is"));
    if (problem === null) expect(judged.problem).toBeNull();
    else expect(judged.problem).toMatch(problem);
  });

  it("reports each sentence of the contract as kept", async () => {
    const { exitCode, out } = await run(["adapters", "check", folder]);
    expect({ exitCode, broken: out.match(/^✗.*$/gm) }).toEqual({ exitCode: 0, broken: null });
    expect(out.match(/^✓ /gm)?.length).toBeGreaterThan(15);
  });

  it("reports broken sentences, and fails", async () => {
    const config = JSON.stringify({ command: "false" });
    const { exitCode, out } = await run(["adapters", "check", folder, "--config", config]);
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^✗ a heartbeat answers with exitCode and timedOut: It ended with 1\.$/m);
    expect((await run(["adapters", "check", join(folder, "nowhere")])).exitCode).toBe(1);
  });

  it("ends with a failure where a heartbeat never does, and ends the program that it runs", async () => {
    const { "index.js": whole = "" } = adapterFiles("light-house");
    await writeFile(
      join(folder, "index.js"),
      `${whole.replace("createServerAdapter", "wellBehaved")}
      const hang = async ({ signal, onTaken, runProcess }) => {
        if (signal.aborted || onTaken !== undefined) return { exitCode: 0, timedOut: false };
        setInterval(() => {}, 1000);
        const { stopped } = await runProcess({ command: "sleep", args: ["600"], timeoutSec: 600, graceSec: 1 });
        console.log("stopped: " + stopped);
        await new Promise(() => {});
      };
      export const createServerAdapter = () => ({ ...wellBehaved(), execute: hang });`,
    );
    const config = JSON.stringify({ timeoutSec: 0.2, graceSec: 0.2 });
    const program = fileURLToPath(new URL("../../dist/boardroom.js", import.meta.url));
    const args = [program, "adapters", "check", folder, "--config", config];
    const checked = await promisify(execFile)(process.execPath, args).catch((failure) => failure);
    expect(checked).toMatchObject({ code: 1, stdout: expect.stringMatching(/^stopped: true$/m) });
    expect(checked.stdout.match(/^✗.*$/gm)).toEqual([
      "✗ a heartbeat answers with exitCode and timedOut: it went on for 0.4 seconds (timeoutSec and graceSec of the configuration)",
    ]);
  });

  it("takes a JSON object as configuration", async () => {
    expect((await run(["adapters", "check", folder, "--config", "[]"])).exitCode).toBe(2);
  });
});
