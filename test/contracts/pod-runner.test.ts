import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkEngine } from "../../adapters-infra/runner-helper/check-engine.ts";
import type { ProgramInput } from "../../ports/agent-adapter.ts";
import { anotherInstallation } from "../support/installation.ts";
import { type LoopbackCluster, loopbackCluster } from "../support/kubernetes/loopback-cluster.ts";
import { hostileIn, remoteRunnerContract, supervise } from "./remote-runner.ts";

let cluster: LoopbackCluster;
beforeAll(async () => {
  cluster = await loopbackCluster();
});
afterAll(async () => {
  await cluster.close();
});

describe.concurrent("pods of a cluster over loopback", () => {
  remoteRunnerContract(() => ({
    runner: cluster.runner(),
    other: cluster.runner(),
    copy: cluster.runner({}, null, anotherInstallation),
    keeping: (handoverFiles) => cluster.runner({}, handoverFiles),
    workspaces: cluster.workspaces,
    seenFromOutside: async ({ name }) => JSON.stringify(cluster.api.pods.get(name)?.object),
    processesOf: async (runId) => cluster.processesOf(runId),
    objectsOf: async (runId) => cluster.objectsOf(runId),
  }));
});

it("A conversation continues over connections that break, with each line once", async () => {
  const one = await supervise(cluster.workspaces);
  const { files } = one.supervision.workspace;
  const lines: string[] = [];
  let input: ProgramInput;
  const spec = hostileIn(files, ["echo-lines"], {
    onInput: (open) => {
      input = open;
      open.write("0\n");
    },
    onStdoutLine: (line) => {
      lines.push(line);
      for (const part of [String(lines.length), "\n"]) input.write(part);
      if (lines.length % 4 === 1) cluster.api.cutInputs();
      if (lines.length === 12) input.end();
      return undefined;
    },
  });
  expect(await Effect.runPromise(cluster.runner().run(spec, one.supervision))).toMatchObject({ exitCode: 0 });
  expect(lines).toEqual(Array.from({ length: 13 }, (_, at) => String(at)));
});

it("A runner that may not attach to its pods says which right is missing", async () => {
  const one = await supervise(cluster.workspaces);
  const { files } = one.supervision.workspace;
  cluster.api.fail("GET", /\/attach$/, { status: 403, reason: "Forbidden", message: "not allowed" }, 1_000);
  const outcome = await Effect.runPromise(
    cluster
      .runner()
      .run(hostileIn(files, ["echo-lines"], { onInput: (open) => open.write("x\n") }), one.supervision),
  );
  expect(outcome.startError).toBe(
    "The cluster does not connect to the input of its pod: not allowed. Its user needs the verbs get and create on pods/attach.",
  );
});

const messages = {
  kind: "pod",
  openService: "",
  closeMetadata: "Close it.",
  listMetadata: "List the rules.",
  closeNeighbours: "",
} as const;

it("The check of a runner judges metadata addresses by routes and rules", async () => {
  const runner = { processes: cluster.runner(), workspaces: cluster.workspaces };
  const asked: (readonly string[])[] = [];
  const checked = async (isRefused: boolean | null) => {
    const checks = await Effect.runPromise(
      checkEngine(runner, "http://127.0.0.1:1", messages, async (_, subnets) => {
        asked.push(subnets);
        return isRefused;
      }),
    );
    return checks.filter(({ code }) => code.startsWith("metadata_"));
  };
  const [unchecked] = await checked(null);
  if (asked.length === 0) {
    process.stderr.write("This machine has no route to metadata addresses: their rules are not asked for.\n");
    expect(unchecked).toMatchObject({ level: "info", code: "metadata_closed" });
    return;
  }
  expect(asked[0]).toContain("169.254.0.0/16");
  expect(unchecked).toMatchObject({
    level: "warn",
    code: "metadata_unchecked",
    message: expect.stringContaining("169.254.0.0/16"),
    hint: "List the rules. Close it.",
  });
  expect(await checked(true)).toMatchObject([{ level: "info", code: "metadata_closed" }]);
  expect(await checked(false)).toMatchObject([{ level: "warn", code: "metadata_open", hint: "Close it." }]);
});

it("The check of a runner says what its image lacks for workspaces of issues", async () => {
  const lacks = async () => {
    const runner = { processes: cluster.runner(), workspaces: cluster.workspaces };
    const checks = await Effect.runPromise(checkEngine(runner, "http://127.0.0.1:1", messages));
    return checks.flatMap(({ code, message }) => (code.startsWith("git_") ? `${code}: ${message}` : []));
  };
  expect(await lacks()).toEqual(["git_found: Its image has git for workspaces of issues."]);
  const folder = mkdtempSync(join(tmpdir(), "image-"));
  symlinkSync(process.execPath, join(folder, "node"));
  const { PATH } = process.env;
  process.env.PATH = folder;
  try {
    expect(await lacks()).toEqual([
      "git_missing: Its image lacks git 2.34 or later, so that issues get no workspace of a repository there.",
    ]);
  } finally {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true });
  }
});

it("Pods are made and read by no request and no field but the published ones, and all are deleted", async () => {
  await expect.poll(() => cluster.api.pods.size, { timeout: 60_000 }).toBe(0);
  expect(cluster.api.secrets.size).toBe(0);
  expect(cluster.api.complaints).toEqual([]);
});
