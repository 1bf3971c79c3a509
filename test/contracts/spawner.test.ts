import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { processOf, processTable } from "../../adapters-infra/local/process-table.ts";
import { type Spawner, spawner } from "../../adapters-infra/local/spawner.ts";
import type { ProcessIdentity } from "../../ports/process-runner.ts";
import { installation } from "../support/installation.ts";
import { readySpawner } from "../support/ready-spawner.ts";
import { aWorkspace } from "../support/workspaces.ts";

const table = processTable();
let folder: string;
let started: Spawner;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "runner-"));
  started = spawner();
  await readySpawner(started);
});
afterEach(() => {
  for (const { pid } of spawners()) process.kill(pid, "SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const commandOf = (pid: number | string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
};
/** The spawners of this process. */
const spawners = () =>
  readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name) && table.find(Number(name))?.parentPid === process.pid)
    .map((name) => ({ pid: Number(name), words: commandOf(name).split("\0") }))
    .filter(({ words }) => words.some((word) => word.endsWith("spawner-program.mjs")))
    .map(({ pid }) => ({ pid }));

/** The spawner of a program; other files that share this process may have left theirs. */
const spawnerOf = (program: { readonly pid: number }) => {
  const own = spawners().find(({ pid }) => pid === table.find(program.pid)?.parentPid);
  if (own === undefined) throw new Error(`No spawner is the parent of ${program.pid}.`);
  return own;
};

/** Runs a program until it is stopped or ends. */
const running = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const runId = randomUUID();
  let identity: ProcessIdentity | null = null;
  const output: string[] = [];
  const stop = new AbortController();
  const ended = Effect.runPromise(
    Effect.exit(
      childProcessRunner({ installation, spawner: started }).run(
        { command: "sh", args, timeoutSec: 60, graceSec: 1 },
        {
          runId,
          workspace: aWorkspace(folder),
          env: { PATH: process.env.PATH ?? "", SERVICE_RUN_ID: runId, ...env },
          stop: stop.signal,
          onStarted: (found) =>
            Effect.sync(() => {
              identity = found;
            }),
          onOutput: (_stream, chunk) =>
            Effect.sync(() => {
              output.push(Buffer.from(chunk).toString());
            }),
        },
      ),
    ),
  );
  await vi.waitFor(() => expect(identity).not.toBeNull(), 60_000);
  return { program: processOf(identity!)!, ended, output, stop };
};

describe.skipIf(process.platform !== "linux")("a spawner", () => {
  it("is the parent of programs, which lead sessions of their own", async () => {
    const { program, ended, stop } = await running(["-c", "sleep 60"]);
    expect(table.find(program.pid)).toMatchObject({
      parentPid: spawnerOf(program).pid,
      sessionId: program.pid,
    });
    stop.abort();
    expect(await ended).toMatchObject({ _tag: "Success", value: { stopped: true } });
    expect(table.find(program.pid)).toBeNull();
  });

  it("shows nothing of its programs on its command line or in its environment", async () => {
    const { ended } = await running(["-c", "echo $TOKEN; exit 3"], { TOKEN: "canary-of-a-run" });
    expect(await ended).toMatchObject({ _tag: "Success", value: { exitCode: 3 } });
    expect(spawners()).not.toEqual([]);
    for (const { pid } of spawners()) {
      expect(commandOf(pid)).not.toContain("canary");
      const names = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
      expect(names.filter((each) => !each.startsWith("NODE_CHANNEL_"))).toEqual([]);
    }
  });

  it("that is killed takes its programs along; the run fails in the service, and another one takes over", async () => {
    const { program, ended } = await running(["-c", "sleep 60"]);
    const own = spawnerOf(program);
    process.kill(own.pid, "SIGKILL");
    expect((await ended)._tag).toBe("Failure");
    expect(table.find(program.pid)).toBeNull();
    const next = await running(["-c", "exit 4"]);
    expect(await next.ended).toMatchObject({ _tag: "Success", value: { exitCode: 4 } });
    await readySpawner(started);
    expect(spawners().map(({ pid }) => pid)).not.toContain(own.pid);
  });

  it("ignores the signals that end a service, whose programs have a grace period", async () => {
    const { ended, output } = await running(["-c", "sleep 1; echo over"]);
    for (const { pid } of spawners())
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(pid, signal);
    expect(await ended).toMatchObject({ _tag: "Success", value: { exitCode: 0 } });
    expect(output.join("")).toBe("over\n");
  });

  it("starts fifty programs at once, each with its own streams", async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, n) => running(["-c", `echo ${n}; exit ${n}`])),
    );
    for (const [n, { ended, output }] of all.entries()) {
      expect(await ended).toMatchObject({ _tag: "Success", value: { exitCode: n } });
      expect(output.join("")).toBe(`${n}\n`);
    }
  });
});
