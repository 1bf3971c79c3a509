import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as Effect from "effect/Effect";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { layOutFiles } from "../../adapters-infra/local/lay-out-files.ts";
import { adapterProbe } from "../../adapters-infra/plugins/adapter-probe.ts";
import { collectFiles } from "../../adapters-infra/runner-helper/collect-files.ts";
import { createServerAdapter as claude } from "../../plugins/adapter-a-local/src/server.ts";
import { createServerAdapter as codex } from "../../plugins/adapter-b-local/src/server.ts";
import { createServerAdapter as opencode } from "../../plugins/adapter-c-local/src/server.ts";
import { createServerAdapter as processAdapter } from "../../plugins/process/src/server.ts";
import type { LoadedAdapter } from "../../ports/adapter-registry.ts";
import type { AgentAdapter, ProcessSpec, SkillsContext } from "../../ports/agent-adapter.ts";
import { nothingHappened } from "../../ports/process-runner.ts";
import type { Runner } from "../../ports/runners.ts";
import { installation } from "../support/installation.ts";
import { loopbackCluster } from "../support/kubernetes/loopback-cluster.ts";
import { runAdapter } from "../support/run-adapter.ts";
import { aWorkspace } from "../support/workspaces.ts";

/** The files of another machine, which this one does not have under their own paths. */
let machine: string;
beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), "another-machine-"));
  mkdirSync(join(machine, "work/workspace"), { recursive: true });
});
afterEach(() => rmSync(machine, { recursive: true, force: true }));

const write = (path: string, text: string, mode = 0o644): void => {
  const file = join(machine, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
};

const here = "/boardroom-of-another-machine";
const runner = childProcessRunner({ installation });

/** The context of an adapter whose programs run there. */
const context = (adapter: AgentAdapter, config: Readonly<Record<string, unknown>> = {}): SkillsContext => {
  const there = (text: string) => text.replaceAll(here, machine);
  const env = { HOME: `${here}/work/home`, PATH: `${here}/bin:/usr/bin:/bin`, SERVICE_RUN_ID: "check" };
  return {
    companyId: "company-1",
    adapterType: adapter.type,
    config,
    cwd: `${here}/work/workspace`,
    env,
    remote: true,
    offeredSkills: [],
    runProcess: (spec: ProcessSpec) =>
      Effect.runPromise(
        runner.run(
          {
            ...spec,
            command: there(spec.command),
            args: spec.args.map(there),
            onStdoutLine: (line) => spec.onStdoutLine?.(line.replaceAll(machine, here)),
          },
          {
            runId: "check",
            workspace: aWorkspace(join(machine, "work/workspace")),
            env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, there(value)])),
            stop: new AbortController().signal,
            onStarted: () => Effect.void,
            onOutput: () => Effect.void,
          },
        ),
      ),
  };
};
const codesOf = async (adapter: AgentAdapter, config = {}) =>
  (await adapter.testEnvironment(context(adapter, config))).checks.map(
    ({ code, message }) => `${code}: ${message}`,
  );

describe("an agent whose programs run on another machine", () => {
  it("process finds its command there", async () => {
    write("bin/agent.sh", "#!/bin/sh\n", 0o755);
    expect(await codesOf(processAdapter(), { command: "agent.sh" })).toContain(
      `process_command_resolvable: The command is ${here}/bin/agent.sh.`,
    );
    write("bin/agent.sh", "#!/bin/sh\n", 0o644);
    expect((await codesOf(processAdapter(), { command: "agent.sh" })).join()).toContain("unresolvable");
  });

  it("claude is found and asked there, with the model and skills of its user there", async () => {
    write("bin/claude", '#!/bin/sh\necho 2.1.0 "(Claude Code)"\n', 0o755);
    write("work/home/.claude/settings.json", '{"model":"from-there"}');
    write("work/home/.claude/skills/tides/SKILL.md", "---\nname: tides\n---\n");
    const codes = (await codesOf(claude())).join("\n");
    expect(codes).toContain(`adapter_a_command_resolvable: The command is ${here}/bin/claude.`);
    expect(codes).toContain("adapter_a_home_empty");
    expect(await claude().detectModel?.(context(claude()))).toMatchObject({ model: "from-there" });
    const { entries } = (await claude().listSkills?.(context(claude()))) ?? { entries: [] };
    expect(entries.map(({ key }) => key)).toEqual(["~/.claude/skills/tides"]);
  });

  it("codex is signed in there or not, with the model and skills of its user there", async () => {
    write("bin/codex", "#!/bin/sh\n", 0o755);
    expect((await codesOf(codex())).join()).toContain("adapter_b_openai_api_key_missing");
    write("work/home/.codex/auth.json", "secret");
    write("work/home/.codex/config.toml", 'model = "from-there"\n[profiles.x]\nmodel = "other"');
    write("work/home/.agents/skills/two words/SKILL.md", "");
    expect((await codesOf(codex())).join()).toContain("adapter_b_native_auth_present");
    expect(await codex().detectModel?.(context(codex()))).toMatchObject({ model: "from-there" });
    const { entries } = (await codex().listSkills?.(context(codex()))) ?? { entries: [] };
    expect(entries.map(({ runtimeName }) => runtimeName)).toEqual(["two words"]);
  });

  it("opencode is found there, with the model of its user there", async () => {
    write("bin/opencode", '#!/bin/sh\n[ "$1" = models ] && echo a/listed\n', 0o755);
    write("work/home/.config/opencode/opencode.jsonc", '{\n  // mine\n  "model": "a/from-there",\n}');
    expect((await codesOf(opencode(), { model: "a/b" })).join()).toContain(
      `The command is ${here}/bin/opencode.`,
    );
    expect(await opencode().detectModel?.(context(opencode()))).toMatchObject({
      model: "a/from-there",
      candidates: ["a/from-there", "a/listed"],
    });
  });

  it.each([
    ["process", processAdapter(), { command: "x" }],
    ["claude", claude(), {}],
    ["codex", codex(), {}],
    ["opencode", opencode(), { model: "a/b" }],
  ])("%s says why nothing can start there", async (_, adapter, config) => {
    const startError = "Its image cannot be had (InvalidImageName): bad";
    const report = await adapter.testEnvironment({
      ...context(adapter, config),
      runProcess: async () => ({ ...nothingHappened, startError }),
    });
    expect(report.status).toBe("fail");
    expect(report.checks.filter(({ level }) => level === "error")).toMatchObject([
      { code: expect.stringMatching(/_not_started$/), message: expect.stringContaining(startError) },
    ]);
  });
});

describe("a skill", () => {
  it("reaches programs elsewhere out of a data directory that only the service's user may enter", async () => {
    write("data/skills/tides/SKILL.md", "# Tides\n");
    write("data/skills/tides/own.md", "x", 0o600);
    write("data/master.key", "secret");
    chmodSync(join(machine, "data"), 0o700);
    const sent = (path: string) =>
      collectFiles(
        [{ path: "/files/it", source: join(machine, "data", path) }],
        join(machine, "data/skills"),
      );
    expect((await sent("skills/tides/SKILL.md")).map(({ base64 }) => base64)).toEqual(["IyBUaWRlcwo="]);
    for (const path of ["master.key", "skills/../master.key", "skills/tides/own.md"])
      await expect(sent(path)).rejects.toThrow(/may not be read by all users/);
    symlinkSync(join(machine, "data"), join(machine, "data/skills/out"));
    await expect(sent("skills/out/master.key")).rejects.toThrow(/may not be read by all users/);
  });
});

describe("a file for a program elsewhere", () => {
  it("is sent up to 16 MiB, and a folder up to 1,000 entries", async () => {
    write("large", "");
    truncateSync(join(machine, "large"), 16 * 2 ** 20 + 1);
    for (let n = 0; n <= 1_000; n += 1) write(`crowd/${n}`, "");
    const sent = (path: string) =>
      collectFiles([{ path: "/files/it", source: join(machine, path) }], "/none");
    await expect(sent("large")).rejects.toThrow(/larger than 16 MiB/);
    await expect(sent("crowd")).rejects.toThrow(/more than 1000 entries/);
  });
});

describe("a file of instructions", () => {
  it("reaches claude as a file next to its skills, wherever it runs", async () => {
    write("instructions.md", "Be kind.\n");
    const { specs } = await runAdapter({
      adapter: claude(),
      cwd: join(machine, "work/workspace"),
      config: { instructionsFilePath: join(machine, "instructions.md") },
      runProcess: async () => nothingHappened,
    });
    const [{ args = [], files = [] } = {}] = specs;
    const [file] = files;
    expect(args[args.indexOf("--append-system-prompt-file") + 1]).toBe(file?.path);
    expect(file).toMatchObject({ text: expect.stringMatching(/^Be kind\.\n/) });
    expect(Buffer.from((await collectFiles(files, "/none"))[0]?.base64 ?? "", "base64").toString()).toMatch(
      /^Be kind/,
    );
  });

  it("is a file of the agent's user alone on this machine", async () => {
    const path = join(machine, "files/instructions.md");
    for (const text of ["first", "second"])
      expect(await layOutFiles([{ path, text }], join(machine, "files"))).toEqual([]);
    expect(readFileSync(path, "utf8")).toBe("second");
    expect(statSync(path).mode & 0o777).toBe(0o400);
  });
});

describe("the model of an agent on a runner elsewhere", () => {
  it("is found in the home of that agent", async () => {
    const settings = '{"model":"of-this-agent"}';
    mkdirSync(join(machine, "home-of-1/.claude"), { recursive: true });
    writeFileSync(join(machine, "home-of-1/.claude/settings.json"), settings);
    const environmentOf = (home: string) => {
      mkdirSync(join(machine, home), { recursive: true });
      const env = { HOME: join(machine, home), PATH: process.env.PATH ?? "" };
      return Effect.succeed(aWorkspace(join(machine, "work/workspace"), { env }));
    };
    const workspaces = {
      prepare: ({ id }: { readonly id: string }) => environmentOf(`home-of-${id}`),
      temporary: () => environmentOf("empty"),
    };
    const cluster: Runner = {
      name: "cluster",
      kind: "kubernetes",
      processes: childProcessRunner({ installation }),
      workspaces,
      volume: null,
      recoveryBoundSec: 55,
      check: () => Effect.succeed([]),
    };
    const probe = adapterProbe(
      { default: "local", all: [], known: [], get: (name) => (name === "cluster" ? cluster : null) },
      { processes: runner, workspaces },
      { companyRunner: () => Effect.succeed("cluster") },
    );
    const adapter = claude();
    const loaded = {
      type: adapter.type,
      supports: new Set(["detectModel"]),
      open: () => Effect.succeed({ adapter }),
    } as unknown as LoadedAdapter;
    const agent = {
      id: "1" as never,
      companyId: "company-1" as never,
      companyRunner: "cluster",
      runtimeConfig: {},
      adapterConfig: {},
      grantedPaths: [],
    };
    const detected = (of: typeof agent | null) =>
      Effect.runPromise(probe.detectModel(loaded, agent.companyId, null, of));
    expect(await detected(agent)).toMatchObject({ model: "of-this-agent" });
    expect(await detected({ ...agent, id: "2" as never })).toBeNull();
    expect(await detected(null)).toBeNull();
  });
});

describe("the check of an environment", () => {
  it("runs in a pod where the chosen runner makes pods", async () => {
    const cluster = await loopbackCluster();
    try {
      const remote: Runner = {
        name: "cluster",
        kind: "kubernetes",
        processes: cluster.runner(),
        workspaces: cluster.workspaces,
        volume: null,
        recoveryBoundSec: 55,
        check: () => Effect.succeed([]),
      };
      let made = 0;
      cluster.api.onPod = (pod) => {
        made += 1;
        pod.run();
      };
      const local = { processes: runner, workspaces: cluster.workspaces };
      const adapter = processAdapter();
      const loaded = {
        type: "process",
        open: () => Effect.succeed({ adapter }),
      } as unknown as LoadedAdapter;
      const probe = adapterProbe(
        { default: "local", all: [], known: [], get: (name) => (name === "cluster" ? remote : null) },
        local,
        { companyRunner: () => Effect.succeed(null) },
      );
      const report = await Effect.runPromise(
        probe.test(loaded, "company-1" as never, {
          adapterConfig: { command: "node" },
          grantedPaths: [],
          agent: null,
          runner: "cluster",
        }),
      );
      expect(report).toMatchObject({ status: "pass" });
      expect(report.checks.map(({ code }) => code)).toContain("process_command_resolvable");
      expect(made).toBe(1);
      await expect.poll(() => cluster.api.pods.size, { timeout: 30_000 }).toBe(0);
      expect(cluster.api.complaints).toEqual([]);
    } finally {
      await cluster.close();
    }
  });
});
