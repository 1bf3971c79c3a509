import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServerAdapter } from "../../plugins/process/src/server.ts";
import { parseStdoutLine } from "../../plugins/process/src/ui-parser.ts";
import { runAdapter, testAdapterEnvironment } from "../support/run-adapter.ts";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "process-"));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = (config: Record<string, unknown>) => runAdapter({ adapter: createServerAdapter(), cwd, config });
const shell = (script: string, more: object = {}) =>
  run({ command: "/bin/sh", args: ["-c", script], ...more });

describe("a process agent", () => {
  it("gets its task from the environment and succeeds with exit code 0", async () => {
    const { result, stdout, metas } = await shell("echo $SERVICE_TASK_ID; pwd");
    expect(result).toEqual({ exitCode: 0, signal: null, timedOut: false });
    expect(stdout).toBe(`issue-1\n${cwd}\n`);
    expect(metas).toEqual([{ command: "/bin/sh", args: ["-c", "echo $SERVICE_TASK_ID; pwd"], cwd }]);
  });
  it("fails with its exit code and last lines", async () => {
    const { result } = await shell("echo no coffee >&2; exit 4");
    expect(result).toMatchObject({
      exitCode: 4,
      errorMessage: "no coffee (exit code 4)",
    });
  });
  it("fails with the line that says what went wrong, not with the last frame of its stack", async () => {
    const { result } = await run({
      command: process.execPath,
      args: ["-e", 'throw new Error("tides.example answered 503")'],
    });
    expect(result.errorMessage).toBe("Error: tides.example answered 503 (exit code 1)");
  });
  it("fails with the signal that ended it", async () => {
    const { result } = await shell("kill -9 $$");
    expect(result).toMatchObject({ exitCode: null, errorMessage: "The program ended with signal SIGKILL" });
  });
  it("is stopped at its time limit", async () => {
    const { result } = await shell("sleep 60", { timeoutSec: 0.3, graceSec: 1 });
    expect(result).toMatchObject({ timedOut: true, errorCode: "timeout" });
  });
  it("fails with a sentence when its program is missing", async () => {
    const { result } = await run({ command: "no-such-program" });
    expect(result).toMatchObject({ errorCode: "adapter_failed" });
    expect(result.errorMessage).toMatch(/"no-such-program" was not found/);
  });
  it.each([
    [{}, /adapterConfig.command is required/],
    [{ command: " " }, /command is required/],
    [{ command: 7 }, /command must be a text, not 7/],
    [{ command: "x", args: [{}] }, /args\[0\] must be a text/],
    [{ command: "x", timeoutSec: 0 }, /timeoutSec must be a number of seconds above 0.*not 0/],
    [{ command: "x", timeoutSec: "none" }, /not "none".*leave it out for 300/],
    [{ command: "x", graceSec: -1 }, /graceSec must be/],
  ])("is not started with %j", async (config, expected) => {
    const { result, specs } = await run(config);
    expect(result).toMatchObject({ exitCode: null, errorCode: "configuration_incomplete" });
    expect(result.errorMessage).toMatch(expected);
    expect(specs).toEqual([]);
  });
  it("has limits of 300 and 10 seconds by default", async () => {
    const { specs } = await run({ command: "true" });
    expect(specs[0]).toMatchObject({ timeoutSec: 300, graceSec: 10, args: [] });
  });
  it("has a transcript of plain lines", () => {
    expect(parseStdoutLine("hello", "t")).toEqual([{ kind: "stdout", ts: "t", text: "hello" }]);
    expect(parseStdoutLine("", "t")).toEqual([]);
  });
});

describe("testing its environment", () => {
  const codes = async (config: Record<string, unknown>, folder = cwd) => {
    const report = await testAdapterEnvironment({ adapter: createServerAdapter(), cwd: folder, config });
    return [report.status, ...report.checks.map(({ code }) => code)];
  };
  it.each([
    [
      { command: "sh" },
      ["pass", "process_command_present", "process_cwd_valid", "process_command_resolvable"],
    ],
    [{}, ["fail", "process_command_missing", "process_cwd_valid"]],
    [
      { command: "no-such-program" },
      ["fail", "process_command_present", "process_cwd_valid", "process_command_unresolvable"],
    ],
    [
      { command: "sh", timeoutSec: 0 },
      [
        "fail",
        "process_command_present",
        "process_config_invalid",
        "process_cwd_valid",
        "process_command_resolvable",
      ],
    ],
  ])("of %j", async (config, expected) => {
    expect(await codes(config)).toEqual(expected);
  });
  it("of a missing directory", async () => {
    expect(await codes({ command: "sh" }, "/no/where")).toContain("process_cwd_invalid");
    expect(await codes({ command: "sh" }, "relative")).toContain("process_cwd_invalid");
  });
});
