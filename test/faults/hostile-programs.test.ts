import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { carriersOf, isLiving, recordedPids } from "../support/run-processes.ts";
import { startService, type TestService } from "../support/service.ts";

const hostile = new URL("../support/hostile-agent.mjs", import.meta.url).pathname;
const logLimit = 1024 * 1024;

let service: TestService;
let folder: string;
let pids: string;
let companyId: string;

beforeAll(async () => {
  service = await startService({ env: { SERVICE_RUN_LOG_MAX_BYTES: String(logLimit) } });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostile-"));
  pids = join(folder, "pids");
  companyId = (await service.admin.companies.create({ name: "Zoo" })).id;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const start = async (adapterConfig: Record<string, unknown>, adapterType = "process") => {
  const agent = await service.admin.agents.create({
    companyId,
    name: `Ada ${Math.random()}`,
    adapterType,
    adapterConfig: { graceSec: 0.3, ...adapterConfig },
  });
  const { id } = await service.admin.agents.invoke({ agentId: agent.id });
  return { agent, runId: id! };
};
const program = (deeds: string[], more: Record<string, unknown> = {}) =>
  start({ command: process.execPath, args: [hostile, ...deeds], env: { PIDS: pids }, ...more });
const ended = (runId: string, withinMs = 120_000) =>
  eventually(
    () => service.admin.runs.get({ runId }),
    ({ status }) => status !== "queued" && status !== "running",
    { withinMs },
  );
const logOf = async (runId: string) => {
  let content = "";
  for (let offset = 0; ; ) {
    const part = await service.admin.runs.log({ runId, offset });
    if (part.content === "") break;
    content += part.content;
    offset = part.nextOffset;
  }
  return content
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { stream: string; chunk: string; seq: number });
};
const untilRecorded = (count: number) =>
  eventually(
    async () => recordedPids(pids).length,
    (seen) => seen === count,
  );
const expectNothingLeft = (runId: string) => {
  expect(recordedPids(pids).filter(isLiving)).toEqual([]);
  expect(carriersOf([runId])).toEqual([]);
};

describe("every end of a run ends all of its processes", () => {
  const wild = ["ignore-term", "note", "fork", "setsid", "double-fork", "clean-env", "hang"];
  const ways: [string, (of: { agentId: string; runId: string }) => Promise<unknown>, object][] = [
    [
      "cancel",
      ({ runId }) => service.admin.runs.cancel({ runId }),
      { status: "cancelled", errorCode: "cancelled" },
    ],
    [
      "the pause of its agent",
      ({ agentId }) => service.admin.agents.pause({ agentId }),
      { status: "cancelled", errorCode: "agent_paused" },
    ],
    [
      "the termination of its agent",
      ({ agentId }) => service.admin.agents.terminate({ agentId }),
      { status: "cancelled", errorCode: "agent_terminated" },
    ],
    [
      "the pause of its company",
      () => service.admin.companies.pause({ companyId }),
      { status: "cancelled", errorCode: "company_paused" },
    ],
    [
      "the archiving of its company",
      () => service.admin.companies.archive({ companyId }),
      { status: "cancelled", errorCode: "company_archived" },
    ],
  ];
  it.each(ways)("%s", async (_, stop, expected) => {
    const { agent, runId } = await program(wild);
    await untilRecorded(5);
    await stop({ agentId: agent.id, runId });
    const run = await ended(runId);
    expect(run).toMatchObject(expected);
    expect(run.error).toMatch(/\.$/);
    expect(run.whatNext).not.toBe("");
    expectNothingLeft(runId);
  });

  it("its timeout", async () => {
    const { runId } = await program(wild, { timeoutSec: 8 });
    expect(await ended(runId)).toMatchObject({
      status: "timed_out",
      errorCode: "timeout",
      error: expect.stringContaining("8 seconds"),
      signal: "SIGKILL",
    });
    expectNothingLeft(runId);
  });

  it("silence, if silenceSec is configured; output in time prevents it", async () => {
    // A start counts as silence, and is slow on a busy machine.
    const silenceSec = 12;
    const quiet = await program([...wild.slice(0, -1), "say:last words", "hang"], { silenceSec });
    const talker = await program(["wait:5000", "say:a", "wait:5000", "say:b", "wait:5000", "say:c"], {
      silenceSec,
    });
    expect(await ended(quiet.runId)).toMatchObject({
      status: "failed",
      errorCode: "output_silence",
      error: expect.stringContaining("12 seconds without output"),
      lastOutput: expect.stringContaining("last words"),
    });
    expectNothingLeft(quiet.runId);
    expect(await ended(talker.runId)).toMatchObject({ status: "succeeded" });
  });

  it.each([0, -1, "none"])("silenceSec %j is refused in words", async (silenceSec) => {
    await expect(program(["say:x"], { silenceSec })).rejects.toMatchObject({
      status: 422,
      code: "adapter_config_invalid",
      message: expect.stringContaining("adapterConfig.silenceSec"),
    });
  });
});

describe("output", () => {
  it("of a gigabyte is cut in the log, visibly, and neither fills the memory nor delays other runs", async () => {
    const before = process.memoryUsage().rss;
    const quickRun = async () => {
      const from = performance.now();
      const { runId } = await program(["say:quick"]);
      await ended(runId);
      return performance.now() - from;
    };
    const alone = await quickRun();
    const flood = await program(["flood:1024", "say:the very end"], { timeoutSec: 280 });
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 50);
    const quick: number[] = [];
    quick.push(await quickRun());
    expect(await service.admin.runs.get({ runId: flood.runId })).toMatchObject({ status: "running" });
    for (let i = 0; i < 2; i++) quick.push(await quickRun());
    const run = await ended(flood.runId, 280_000);
    clearInterval(watch);
    expect(run).toMatchObject({ status: "succeeded", lastOutput: expect.stringContaining("the very end") });
    expect(run.logBytes).toBeLessThan(logLimit + 256 * 1024);
    const lines = await logOf(flood.runId);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, i) => i + 1));
    const messages = lines.filter(({ stream }) => stream === "system").map(({ chunk }) => chunk);
    expect(messages[0]).toContain(`the log is cut here, at its limit of ${logLimit} bytes`);
    expect(messages[1]).toMatch(/^\[\d{9,} bytes of output are not kept[\s\S]*the very end/);
    console.log(
      `1 GB of output: peak memory +${Math.round((peak - before) / 2 ** 20)} MB; other runs meanwhile ${quick.map(Math.round)} ms, before ${Math.round(alone)} ms`,
    );
    expect(peak - before).toBeLessThan(300 * 2 ** 20);
  }, 300_000);

  it("that is not UTF-8 is stored readably", async () => {
    const { runId } = await program(["invalid-utf8", "split-character"]);
    expect(await ended(runId)).toMatchObject({ status: "succeeded" });
    const text = (await logOf(runId)).map(({ chunk }) => chunk).join("");
    expect(text).toContain("a\uFFFD\uFFFDb");
  });

  it("with NUL, which no database stores, ends its run like any other", async () => {
    const { runId } = await program(["binary"]);
    expect(await ended(runId)).toMatchObject({ status: "succeeded", lastOutput: "a\uFFFDb\n" });
  });
});

describe("a failed run reports its cause", () => {
  it("by exit code, in a sentence, with its last lines and the next step", async () => {
    const { runId } = await program(["say:working", "complain:the disk is full", "exit:3"]);
    expect(await ended(runId)).toMatchObject({
      status: "failed",
      errorCode: "adapter_failed",
      error: expect.stringContaining("the disk is full (exit code 3)"),
      exitCode: 3,
      signal: null,
      lastOutput: expect.stringContaining("the disk is full"),
      whatNext: "Finished. Nothing scheduled next.",
    });
  });

  it("by signal", async () => {
    const { runId } = await program(["note", "hang"]);
    await untilRecorded(1);
    process.kill(recordedPids(pids)[0]!, "SIGSEGV");
    expect(await ended(runId)).toMatchObject({ status: "failed", exitCode: null, signal: "SIGSEGV" });
  });

  it("and a queued one its obstacle", async () => {
    const { agent } = await program(["note", "hang"]);
    await untilRecorded(1);
    await service.admin.agents.invoke({ agentId: agent.id });
    const [live] = (await service.admin.runs.list({ companyId, agentId: agent.id })).items;
    expect((await service.admin.runs.get({ runId: live!.id })).whatNext).toBe(
      "When it ends, another run starts for what is waiting (1).",
    );
    await service.admin.agents.pause({ agentId: agent.id });
    expect((await ended(live!.id)).whatNext).toBe("The agent is paused. Resume it to continue.");
  });
});

describe("a coding agent's program", () => {
  const claude = async (lines: object[], end: string) => {
    const file = join(folder, "claude.mjs");
    const output = lines.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))});`).join("\n");
    await writeFile(file, `#!${process.execPath}\n${output}\n${end}\n`, { mode: 0o755 });
    return start({ command: file, cwd: folder }, "adapter_a_local");
  };
  const result = (more: object) => ({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "All done.",
    session_id: "s-1",
    ...more,
  });

  it("that printed its result and hangs is a success, and its process tree is ended", async () => {
    const { runId } = await claude(
      [result({})],
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);",
    );
    expect(await ended(runId)).toMatchObject({ status: "succeeded", error: null });
    expect(carriersOf([runId])).toEqual([]);
  });

  it("that exits 0 after an error has failed", async () => {
    const { runId } = await claude(
      [result({ is_error: true, result: "API Error: 500" })],
      "process.exit(0);",
    );
    const run = await ended(runId);
    expect(run).toMatchObject({ status: "failed", error: expect.stringContaining("API Error: 500") });
    expect(run.errorCode).not.toBeNull();
  });
});

describe("operations", () => {
  it("show caps, containment, the recovery bound and waiting work", async () => {
    expect(await service.admin.system.health({})).toMatchObject({
      caps: { instance: 50, company: 50, adapterType: 50 },
      processContainment: expect.stringMatching(/^(cgroup|process_table)$/),
      recoveryBoundSec: 30,
      runsHeld: 0,
      accountsHeld: [],
      oldestStartableWakeSec: null,
      oldestLostRunSec: null,
    });
  });
});
