import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { httpTransport } from "../../hosts/library/http-transport.ts";
import { openClient } from "../../hosts/library/open-client.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { root } from "../support/imports.ts";
import { type AttackedService, attackedService, ordinaryUser } from "./attacked-service.ts";
import { paths } from "./attempts/paths.ts";
import { carryOut } from "./carry-out.ts";

let attacked: AttackedService;
let acme: string;
let globex: string;
/** An operator of Acme alone. */
let operator: Client;
/** Folders of the machine next to the data directory. */
let listed: string;
let writable: string;
let projects: string;

type Config = Record<string, unknown>;

const program = { command: "/bin/true" };
/** As what a configuration can name a path. */
const naming: Readonly<Record<string, (path: string) => Config>> = {
  cwd: (cwd) => ({ ...program, cwd }),
  command: (command) => ({ command }),
  instructionsFilePath: (instructionsFilePath) => ({ ...program, instructionsFilePath }),
  "args.0": (path) => ({ ...program, args: [path] }),
  "env.HOME": (HOME) => ({ ...program, env: { HOME } }),
  "env.CODEX_HOME": (CODEX_HOME) => ({
    ...program,
    env: { CODEX_HOME: { type: "plain", value: CODEX_HOME } },
  }),
  "env.XDG_CONFIG_HOME": (XDG_CONFIG_HOME) => ({ ...program, env: { XDG_CONFIG_HOME } }),
  "env.CLAUDE_CONFIG_DIR": (CLAUDE_CONFIG_DIR) => ({ ...program, env: { CLAUDE_CONFIG_DIR } }),
  "env.PATH": (path) => ({ ...program, env: { PATH: `/usr/bin:${path}` } }),
};

let made = 0;
const newAgent = (client: Client, adapterConfig: Config, companyId = acme) => {
  made += 1;
  return client.agents.create({
    companyId,
    name: `Agent ${made}`,
    adapterType: "process",
    adapterConfig: adapterConfig as never,
  });
};

/** Returns the sentence of the refusal, and fails where it is another one. */
const refusal = async (call: Promise<unknown>, field?: string): Promise<string> => {
  const error = await call.then(
    () => null,
    (refused: unknown) => refused as { code: string; message: string; details?: { path?: string[] } },
  );
  expect(error).toMatchObject({ code: "path_not_allowed" });
  if (field !== undefined) expect(error?.details?.path).toEqual(["adapterConfig", ...field.split(".")]);
  return error?.message ?? "";
};

/** Wakes the agent, and returns its run and what it printed. */
const ran = async (agentId: string) => {
  const { id } = await attacked.board.agents.invoke({ agentId });
  const run = await attacked.ended(id!);
  return { ...run, text: await attacked.printed(id!) };
};

const adapterThat = (body: string) =>
  nodeAgent(`
    import fs from "node:fs";
    import { execFileSync } from "node:child_process";
    const tried = (work) => { try { return work(); } catch (error) { return error.code ?? error.message; } };
    console.log(JSON.stringify(await (async () => { ${body} })()));
    process.exit(0);
  `);

/** Runs a body once as the agent, whose configuration stays. */
const acts = async (agentId: string, config: Config, body: string) => {
  await attacked.board.agents.update({
    agentId,
    adapterConfig: { ...adapterThat(body), cwd: null, env: null } as never,
  });
  const first = await ran(agentId);
  expect(first.status).toBe("succeeded");
  await operator.agents.update({ agentId, adapterConfig: config as never });
};

const secrets = ["master.key", "board-token", "database", "blobs"];
/** Reads what nobody may see, by each way to it. */
const readsSecrets = (...folders: readonly string[]) =>
  adapterThat(`return ${JSON.stringify(folders)}.flatMap((folder) => ${JSON.stringify(secrets)}.map((name) =>
    tried(() => fs.statSync(folder + "/" + name) && "seen")))`);
const unseen = (text: string) => {
  const [line = "[]"] = text.trim().split("\n").slice(-1);
  for (const each of JSON.parse(line) as string[]) expect(["ENOENT", "ENOTDIR", "EACCES"]).toContain(each);
};

const owned = (environment: "root" | "user", path: string) => {
  if (environment === "user") chownSync(path, ordinaryUser, ordinaryUser);
};

carryOut(
  paths,
  ["root", "user"],
  {
    "data-directory": async () => {
      const { dataDir, folder } = attacked;
      const spellings = [
        dataDir,
        `${dataDir}/.`,
        `${dataDir}//`,
        `/${dataDir}`,
        `${folder}/x/../data`,
        `${dataDir}/database`,
        `${dataDir}/workspaces`,
        `${dataDir}/homes/${globex}`,
        `${dataDir}/master.key`,
      ];
      for (const [field, config] of Object.entries(naming))
        for (const path of spellings) {
          const at = field;
          expect(await refusal(newAgent(operator, config(path)), at)).toContain("data directory");
          expect(await refusal(newAgent(attacked.board, config(path)), at)).toContain("data directory");
        }
      for (const [field, config] of Object.entries(naming))
        expect(
          await refusal(newAgent(attacked.board, config(join(folder, "link-to-data"))), field),
        ).toContain("data directory");
    },
    machine: async () => {
      const { board, dataDir, folder } = attacked;
      const other = await newAgent(board, program, globex);
      const named = [
        ...[
          "/",
          "/root",
          "/home",
          "/var/lib",
          "/srv/x",
          "/proc",
          "/sys/kernel",
          "/dev",
          "/run",
          "/tmp",
          folder,
        ],
        ...[join(dataDir, "workspaces", other.id, "agent.sh"), `${folder}/.ssh`],
      ];
      const agent = await newAgent(operator, program);
      for (const cwd of [
        ...named,
        "relative",
        "~",
        "file:///root",
        "/root\n",
        "/x".repeat(3_000),
        "../../x",
      ]) {
        await refusal(newAgent(operator, { ...program, cwd }), "cwd");
        await refusal(operator.agents.update({ agentId: agent.id, adapterConfig: { cwd } }), "cwd");
      }
      for (const [field, config] of Object.entries(naming)) {
        await refusal(newAgent(operator, config("/root/.ssh/id_rsa")), field);
        const hire = { name: "Draft", adapterType: "process" };
        const adapterConfig = config("/root/.ssh/id_rsa") as never;
        await refusal(operator.approvals.hire({ ...hire, companyId: acme, adapterConfig }), field);
        await refusal(
          operator.approvals.create({
            companyId: acme,
            type: "hire_agent",
            payload: { ...hire, adapterConfig },
          } as never),
          field,
        );
        await refusal(
          operator.adapters.testEnvironment({ companyId: acme, adapterType: "process", adapterConfig }),
          field,
        );
      }
      const { approval } = await operator.approvals.hire({
        companyId: acme,
        name: "Draft",
        adapterType: "process",
        adapterConfig: program,
      });
      await board.approvals.requestRevision({ approvalId: approval.id });
      await refusal(
        operator.approvals.resubmit({
          approvalId: approval.id,
          payload: { name: "Draft", adapterType: "process", adapterConfig: { ...program, cwd: "/root" } },
        } as never),
        "cwd",
      );
      expect((await operator.agents.get({ agentId: agent.id })).adapterConfig).toEqual(program);
    },
    kernel: async () => {
      for (const [field, config] of Object.entries(naming))
        for (const path of [
          "/proc",
          "/proc/1",
          "/sys",
          "/dev/shm",
          "/run",
          "/run/docker.sock",
          "/var/run/x",
          "/tmp",
          "/var/tmp",
        ])
          if (field !== "args.0") await refusal(newAgent(attacked.board, config(path)), field);
      await refusal(newAgent(attacked.board, { ...program, cwd: "/" }), "cwd");
      await refusal(newAgent(attacked.board, { ...program, cwd: "/usr/.." }), "cwd");
      // As an argument it is the program's own.
      const { id } = await newAgent(operator, { command: "cat", args: ["/proc/1/comm", "/tmp/x"] });
      expect((await ran(id)).text).not.toContain("systemd");
    },
    "temporary-folder": async (environment) => {
      for (const temporary of ["/tmp", "/var/tmp"]) {
        const [cwd, unnamed] = ["named", "unnamed"].map((name) =>
          mkdtempSync(join(temporary, `boardroom-${name}-`)),
        ) as [string, string];
        onTestFinished(() => [cwd, unnamed].forEach((path) => void rmSync(path, { recursive: true })));
        owned(environment, cwd);
        chmodSync(cwd, 0o777);
        chmodSync(unnamed, 0o755);
        await refusal(newAgent(operator, { ...program, cwd }), "cwd");
        for (const whole of [temporary, `${temporary}/.`, `${cwd}/..`])
          await refusal(newAgent(attacked.board, { ...program, cwd: whole }), "cwd");
        const lists = adapterThat(
          `return [process.cwd(), fs.readdirSync("${temporary}"), fs.readdirSync("..")]`,
        );
        const { id } = await newAgent(attacked.board, { ...lists, cwd });
        const run = await ran(id);
        expect(run).toMatchObject({ status: "succeeded", error: null });
        const [at, inside, above] = JSON.parse(run.text) as [string, string[], string[]];
        expect([at, above]).toEqual([cwd, inside]);
        // The list of the operator may lie there, too, and this checkout, whose programs agents run.
        const shown = (name: string) =>
          [attacked.folder, root].some((path) => path.startsWith(join(temporary, name)));
        expect(inside.filter((name) => !shown(name))).toEqual([basename(cwd)]);
      }
    },
    existence: async () => {
      for (const config of Object.values(naming)) {
        const [is, isNot] = [join(projects, "agent.sh"), join(projects, "gone")];
        const there = await refusal(newAgent(operator, config(is)));
        const gone = await refusal(newAgent(operator, config(isNot)));
        expect(there.replaceAll(is, "")).toBe(gone.replaceAll(isNot, ""));
      }
    },
    "around-data": async (environment) => {
      const { board, dataDir, folder } = attacked;
      const above = join(folder, "..");
      const around = await newAgent(board, { ...readsSecrets(dataDir, "data"), cwd: folder });
      const first = await ran(around.id);
      expect(first).toMatchObject({ status: "succeeded" });
      unseen(first.text);
      if (above === "/tmp") return;
      const mover = await newAgent(board, {
        ...adapterThat(
          `return tried(() => fs.renameSync(${JSON.stringify(dataDir)}, ${JSON.stringify(`${dataDir}2`)}))`,
        ),
        cwd: folder,
      });
      expect((await ran(mover.id)).text.trim()).toBe(environment === "user" ? '"EBUSY"' : '"EACCES"');
    },
    "link-in-home": async () => {
      const { dataDir } = attacked;
      const home = join(dataDir, "homes", acme);
      const config = { ...readsSecrets(`${home}/.codex`, dataDir), env: { CODEX_HOME: `${home}/.codex` } };
      const { id } = await newAgent(operator, config);
      await acts(
        id,
        config,
        `fs.rmSync(process.env.HOME + "/.codex", { recursive: true, force: true }); fs.symlinkSync(${JSON.stringify(dataDir)}, process.env.HOME + "/.codex"); return []`,
      );
      const run = await ran(id);
      expect(run).toMatchObject({ status: "failed", error: expect.stringContaining("may not see") });
      expect(run.text).toBe("");
    },
    "link-as-cwd": async () => {
      const { dataDir } = attacked;
      const { id } = await newAgent(operator, program);
      const cwd = join(dataDir, "workspaces", id, "here");
      await acts(
        id,
        { ...readsSecrets(dataDir, "."), cwd },
        `fs.symlinkSync(${JSON.stringify(dataDir)}, "here"); return []`,
      );
      const run = await ran(id);
      expect(run).toMatchObject({ status: "failed", error: expect.stringContaining("may not see") });
      expect(run.text).toBe("");
    },
    "link-as-command": async () => {
      const { dataDir, folder } = attacked;
      const { id } = await newAgent(operator, program);
      const workspace = join(dataDir, "workspaces", id);
      const target = join(folder, "there");
      await acts(
        id,
        { command: join(workspace, "bin/tool"), args: null },
        `fs.mkdirSync("bin"); fs.symlinkSync(${JSON.stringify(target)}, "bin/tool"); return []`,
      );
      expect(await ran(id)).toMatchObject({ status: "failed", text: "" });
      await operator.agents.update({
        agentId: id,
        adapterConfig: { command: "tool", env: { PATH: `/usr/bin:${workspace}/bin:bin` } } as never,
      });
      expect(await ran(id)).toMatchObject({
        status: "failed",
        text: "",
        error: expect.stringContaining("was not found"),
      });
    },
    "node-modules": async () => {
      const { dataDir, folder } = attacked;
      const { id } = await newAgent(operator, program);
      const inside = join(folder, "project/node_modules/tool");
      await acts(
        id,
        { command: join(dataDir, "workspaces", id, "tool"), args: null },
        `fs.symlinkSync(${JSON.stringify(`${inside}/tool.sh`)}, "tool"); return []`,
      );
      expect(await ran(id)).toMatchObject({ status: "failed", text: "" });
      expect(
        (
          await ran(
            (
              await newAgent(
                operator,
                adapterThat(`return tried(() => fs.readdirSync(${JSON.stringify(inside)}))`),
              )
            ).id,
          )
        ).text.trim(),
      ).toBe('"ENOENT"');
    },
    "swapped-grant": async (environment) => {
      const { board, dataDir } = attacked;
      const shared = join(projects, `of-${environment}`);
      const inside = join(shared, "inside");
      for (const path of [shared, inside]) {
        mkdirSync(path);
        chmodSync(path, 0o777);
        owned(environment, path);
      }
      writeFileSync(join(inside, "note"), "of the project");
      const reader = await newAgent(board, { ...readsSecrets(inside, "."), cwd: inside });
      expect((await ran(reader.id)).status).toBe("succeeded");
      const swapper = await newAgent(board, {
        ...adapterThat(
          `fs.renameSync("inside", "aside"); fs.symlinkSync(${JSON.stringify(dataDir)}, "inside"); return []`,
        ),
        cwd: shared,
      });
      expect((await ran(swapper.id)).status).toBe("succeeded");
      expect(await ran(reader.id)).toMatchObject({
        status: "failed",
        text: "",
        error: expect.stringContaining("may not see"),
      });
    },
    "read-as-write": async (environment) => {
      const writes = adapterThat(
        `return [tried(() => fs.writeFileSync("written", "x")), tried(() => fs.readFileSync("note", "utf8"))]`,
      );
      expect((await ran((await newAgent(operator, { ...writes, cwd: listed })).id)).text.trim()).toBe(
        '["EROFS","of the list"]',
      );
      expect((await ran((await newAgent(operator, { ...writes, cwd: writable })).id)).text.trim()).toBe(
        '[null,"of the list"]',
      );
      // The admin lets it be executed, which is no folder to write.
      const tool = join(projects, `tools-${environment}`);
      mkdirSync(tool);
      owned(environment, tool);
      const { id } = await newAgent(attacked.board, { ...program, env: { PATH: `/usr/bin:${tool}` } });
      await refusal(operator.agents.update({ agentId: id, adapterConfig: { cwd: tool } }), "cwd");
      const system = await newAgent(operator, { ...writes, cwd: "/etc" });
      expect((await ran(system.id)).text).toContain("EROFS");
    },
    untouched: async () => {
      const { board } = attacked;
      const { id } = await newAgent(board, { command: join(projects, "agent.sh") });
      expect((await ran(id)).text).toContain("of the project");
      await operator.agents.update({
        agentId: id,
        title: "Porter",
        adapterConfig: { args: ["x"], timeoutSec: 9 },
      });
      expect((await ran(id)).text).toContain("of the project");
      await refusal(operator.agents.update({ agentId: id, adapterConfig: { cwd: projects } }), "cwd");
      await operator.agents.update({ agentId: id, adapterConfig: program });
      const { items: revisions } = await board.agents.configRevisions({ agentId: id });
      const first = revisions.at(-1)!;
      await refusal(operator.agents.rollback({ agentId: id, revisionId: first.id }), "command");
      await board.agents.rollback({ agentId: id, revisionId: first.id });
      expect((await ran(id)).text).toContain("of the project");
    },
    "moved-here": async () => {
      const { board } = attacked;
      const cwd = join(projects, "moved");
      const there = { runner: "engine" };
      const here = { runner: "local" };
      made += 1;
      const { id: agentId } = await operator.agents.create({
        companyId: acme,
        name: `Agent ${made}`,
        adapterType: "process",
        adapterConfig: { ...program, cwd } as never,
        runtimeConfig: there,
      });
      await refusal(operator.agents.update({ agentId, runtimeConfig: here }), "cwd");
      await refusal(operator.agents.update({ agentId, runtimeConfig: { runner: null } as never }), "cwd");
      // An admin who only moves it has seen no path.
      expect(await refusal(board.agents.update({ agentId, runtimeConfig: here }), "cwd")).toContain(
        "Set it in the same change that moves the agent here.",
      );
      expect((await board.agents.get({ agentId })).runtimeConfig).toEqual(there);
      await board.agents.update({ agentId, runtimeConfig: here, adapterConfig: { cwd } as never });
      // A path that an admin has set stays, wherever it is meanwhile.
      await operator.agents.update({ agentId, runtimeConfig: there });
      await operator.agents.update({ agentId, runtimeConfig: here });

      await board.companies.update({ companyId: acme, runner: "engine" });
      try {
        const { approval } = await operator.approvals.hire({
          companyId: acme,
          name: "Late",
          adapterType: "process",
          adapterConfig: { ...program, cwd: "/boardroom/work/here" } as never,
        });
        await board.companies.update({ companyId: acme, runner: null });
        await refusal(board.approvals.approve({ approvalId: approval.id }), "cwd");
        await board.companies.update({ companyId: acme, runner: "engine" });
        await board.approvals.approve({ approvalId: approval.id });
      } finally {
        await board.companies.update({ companyId: acme, runner: null });
      }
    },
    "tested-as-agent": async () => {
      const { board, dataDir } = attacked;
      const [one, two] = [await newAgent(operator, program), await newAgent(operator, program)];
      const foreign = await newAgent(board, program, globex);
      const shown = join(projects, "agent.sh");
      const granted = await newAgent(board, { command: shown });
      const tested = (agentId: string | undefined, adapterConfig: Config) =>
        operator.adapters.testEnvironment({
          companyId: acme,
          adapterType: "process",
          adapterConfig: adapterConfig as never,
          ...(agentId === undefined ? {} : { agentId }),
        });
      const cwd = join(dataDir, "workspaces", one.id);
      expect(await tested(one.id, { ...program, cwd })).toMatchObject({ status: "pass" });
      await refusal(tested(undefined, { ...program, cwd }), "cwd");
      await refusal(tested(two.id, { ...program, cwd }), "cwd");
      expect(await tested(granted.id, { command: shown })).toMatchObject({ status: "pass" });
      await refusal(tested(one.id, { command: shown }), "command");
      await expect(tested(foreign.id, program)).rejects.toMatchObject({ status: 422 });
      await expect(
        operator.adapters.detectModel({
          companyId: acme,
          adapterType: "adapter_a_local",
          agentId: foreign.id,
        }),
      ).rejects.toMatchObject({ status: 404 });
    },
    loaders: async (environment) => {
      const { dataDir } = attacked;
      const { id } = await newAgent(operator, program);
      const workspace = join(dataDir, "workspaces", id);
      const mark = `system("id -u >> ${workspace}/loaded 2>/dev/null; true")`;
      await acts(
        id,
        {
          ...adapterThat(
            `return [process.env.LD_PRELOAD, process.env.PERL5OPT, process.pid, tried(() => fs.readFileSync("loaded", "utf8"))]`,
          ),
          env: {
            LD_PRELOAD: join(workspace, "missing.so"),
            NODE_OPTIONS: `--require=${workspace}/mark.cjs`,
            PERL5LIB: workspace,
            PERL5OPT: "-MMark",
            BASH_ENV: join(workspace, "mark.sh"),
            ENV: join(workspace, "mark.sh"),
            PS4: `$(id -u >> ${workspace}/loaded)`,
            SHELLOPTS: "xtrace",
          },
        },
        `fs.writeFileSync("Mark.pm", ${JSON.stringify(`package Mark; BEGIN { ${mark} } 1;\n`)});
        fs.writeFileSync("mark.cjs", 'require("node:fs").appendFileSync("${workspace}/loaded", "process " + process.pid)');
        fs.writeFileSync("mark.sh", "id -u >> ${workspace}/loaded\\n"); return []`,
      );
      const run = await ran(id);
      expect(run).toMatchObject({ status: "succeeded" });
      // Words of the loader on standard error may come after it.
      const line = run.text.split("\n").find((each) => each.startsWith("[")) ?? "";
      const [preload, option, pid, loaded] = JSON.parse(line);
      expect([preload, option]).toEqual([join(workspace, "missing.so"), "-MMark"]);
      // Of the program itself alone.
      expect(loaded).toBe(`process ${pid}`);
      expect(run.text + environment).not.toContain("bwrap");
    },
    "without-sandbox": async (environment) => {
      const without = await attackedService(environment, { SERVICE_SANDBOX: "off" });
      try {
        const { board, dataDir } = without;
        const company = (await board.companies.create({ name: "Acme" })).id;
        const { agentId, runId } = await without.invoke(company, {
          ...adapterThat(`fs.symlinkSync(${JSON.stringify(dataDir)}, "here"); return []`),
        });
        expect((await without.ended(runId)).status).toBe("succeeded");
        const cwd = join(dataDir, "workspaces", agentId, "here");
        await board.agents.update({ agentId, adapterConfig: { command: "/bin/ls", args: [], cwd } });
        const { id } = await board.agents.invoke({ agentId });
        expect(await without.ended(id!)).toMatchObject({
          status: "failed",
          error: expect.stringContaining("may not see"),
        });
        await refusal(board.agents.update({ agentId, adapterConfig: { cwd: dataDir } }), "cwd");
      } finally {
        await without.close();
      }
    },
  },
  (environment) => {
    beforeAll(async () => {
      const lists = execFileSync("mktemp", ["-d", "/srv/boardroom-paths-XXXXXX"]).toString().trim();
      [listed, writable, projects] = ["listed", "writable", "projects"].map((name) => join(lists, name)) as [
        string,
        string,
        string,
      ];
      chmodSync(lists, 0o755);
      for (const path of [listed, writable, projects]) {
        mkdirSync(path);
        writeFileSync(join(path, "note"), "of the list");
        writeFileSync(join(path, "agent.sh"), "#!/bin/sh\necho of the project\n", { mode: 0o755 });
      }
      chmodSync(writable, 0o777);
      attacked = await attackedService(
        environment,
        { SERVICE_AGENT_PATHS: `${listed}, ${writable}:rw`, SERVICE_RUNNER: "local" },
        { kind: "docker", host: "unix:///run/none.sock", engine: "away", image: "agents:1" },
      );
      const { board, folder, service } = attacked;
      acme = (await board.companies.create({ name: "Acme" })).id;
      globex = (await board.companies.create({ name: "Globex" })).id;
      const { id: userId } = await board.users.create({ name: "Operator" });
      await board.members.set({ companyId: acme, userId, role: "owner" });
      const { token } = await board.tokens.create({ name: "attack", userId });
      operator = openClient(httpTransport({ baseUrl: service.url, token }));
      writeFileSync(join(folder, "there"), "#!/bin/sh\necho of the host\n", { mode: 0o755 });
      symlinkSync(attacked.dataDir, join(folder, "link-to-data"));
      mkdirSync(join(folder, "project/node_modules/tool"), { recursive: true });
      writeFileSync(join(folder, "project/node_modules/tool/tool.sh"), "#!/bin/sh\necho of the package\n", {
        mode: 0o755,
      });
      if (environment === "user") execFileSync("chown", ["-R", `${ordinaryUser}:${ordinaryUser}`, projects]);
    });
    afterAll(async () => {
      await attacked?.close();
      execFileSync("rm", ["-rf", join(listed, "..")]);
    });
  },
);
