import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { type AttackedService, attackedService, attemptedBy } from "./attacked-service.ts";

/** Programs that an image of the attacks has next to the usual ones. */
export const attackPrograms = ["mkfifo", "tee", "perl"];

const masterKey = "a1".repeat(32);

/** The differences between engines. */
export interface AttackedEngine {
  /** The service's template of the runner; with 200 MB of memory for each program. */
  readonly runner: object;
  readonly env?: Readonly<Record<string, string>>;
  /** Where on its machine a program could look for the engine. */
  readonly sockets: readonly string[];
  /** Of a folder in which a program finds what started it: what is left there. */
  readonly start: { readonly folder: string; readonly left: readonly string[] };
  /** A folder in memory, whose files have no limit of their own; null: there is none. */
  readonly memoryFolder: string | null;
  /** Whether a program may make a user namespace, in which it may mount a file system in memory. */
  readonly hasUserNamespaces: boolean;
}

/** The attacks of agents on an engine: a service all of whose agents run there, and how each attempt is carried out. */
export const engineAttacks = () => {
  let attacked: AttackedService;
  let engine: AttackedEngine;
  let acme: string;
  let globex: string;

  const open = async (on: AttackedEngine) => {
    engine = on;
    attacked = await attackedService("root", { SERVICE_SECRETS_MASTER_KEY: masterKey, ...on.env }, on.runner);
    acme = (await attacked.board.companies.create({ name: "Acme" })).id;
    globex = (await attacked.board.companies.create({ name: "Globex" })).id;
  };

  const woken = async (agentId: string) => {
    const { id } = await attacked.board.agents.invoke({ agentId });
    const run = await attacked.ended(id!);
    return { ...run, text: await attacked.printed(id!) };
  };
  const update = (agentId: string, adapterType: string, adapterConfig: object) =>
    attacked.board.agents.update({ agentId, adapterType, adapterConfig: adapterConfig as never });
  /** Runs the body as that agent, on its volume. */
  const again = async (agentId: string, body: string, config: object = {}) => {
    const adapterConfig = { ...attemptedBy(body), command: "node", cwd: null, env: null, ...config };
    await update(agentId, "process", adapterConfig);
    return woken(agentId);
  };
  /** An agent that has done so. */
  const prepared = async (body: string) => {
    const { agentId, runId } = await attacked.invoke(acme, { ...attemptedBy(body), command: "node" });
    const { status } = await attacked.ended(runId);
    expect([status, await attacked.printed(runId)]).toEqual(["succeeded", expect.anything()]);
    return agentId;
  };
  /** The same on the service's own machine; returns the home of the company there. */
  const preparedHere = async (companyId: string, body: string): Promise<string> => {
    const { board } = attacked;
    const { id } = await board.agents.create({
      companyId,
      name: `Agent ${Math.random()}`,
      adapterType: "process",
      adapterConfig: attemptedBy(`${body}\nreturn process.env.HOME;`) as never,
      runtimeConfig: { runner: "local" },
    });
    const { status, text } = await woken(id);
    expect([status, text]).toEqual(["succeeded", expect.anything()]);
    return JSON.parse(text.trim().split("\n").at(-1)!);
  };
  const skillsOf = async (agentId: string) => {
    await update(agentId, "adapter_a_local", { command: null, args: null });
    return attacked.board.agents.skills({ agentId });
  };
  const othersWork = async () =>
    expect(await attacked.attempt(globex, "return process.env.SERVICE_COMPANY_ID")).toBe(globex);
  const detectModels = (agentId: string) =>
    Promise.all(
      ["adapter_a_local", "adapter_b_local"].map((adapterType) =>
        attacked.board.adapters.detectModel({ companyId: acme, adapterType, agentId }),
      ),
    );
  const megabytes = () => {
    const status = `/proc/${attacked.service.child.pid}/status`;
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))?.[1]) / 1024;
  };

  /** A program in place of the claude CLI, in the agent's workspace. */
  const cli = "/boardroom/work/workspace/cli.js";
  /** An agent whose CLI prints all that it gets to read, and what the script returns. */
  const withCli = (script: string) =>
    prepared(`
      const script = ${JSON.stringify(`#!/bin/node
        const fs = require("node:fs");
        const tried = (work) => { try { return work(); } catch (error) { return error.code; } };
        for (const file of [0, ...process.argv.slice(2)]) tried(() => fs.statSync(file).isDirectory() || console.log(fs.readFileSync(file, "utf8")));
        console.log(JSON.stringify((() => { ${script} })()));
      `)};
      fs.writeFileSync(${JSON.stringify(cli)}, script, { mode: 0o755 });
    `);

  const agentFilesTrials = {
    "pipe-for-settings": async () => {
      const agentId = await prepared(`
        for (const path of [".codex/config.toml", ".claude/settings.json", ".claude/skills/x/SKILL.md"]) {
          const file = process.env.HOME + "/" + path;
          fs.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
          execFileSync("mkfifo", [file]);
        }
      `);
      const asked = Promise.all([detectModels(agentId), skillsOf(agentId)]);
      await othersWork();
      const [models, { entries }] = await asked;
      expect(models).toEqual([null, null]);
      expect(entries.filter(({ managed }) => !managed)).toEqual([]);
    },
    "endless-settings": async () => {
      const before = megabytes();
      const agentId = await prepared(`
        const home = process.env.HOME;
        for (const folder of [".codex", ".claude/skills/x"]) fs.mkdirSync(home + "/" + folder, { recursive: true });
        fs.symlinkSync("/dev/zero", home + "/.codex/config.toml");
        fs.writeFileSync(home + "/.claude/skills/x/SKILL.md", "");
        for (const name of ["settings.json", "skills/x/SKILL.md"]) {
          fs.closeSync(fs.openSync(home + "/.claude/" + name, "w"));
          fs.truncateSync(home + "/.claude/" + name, 2 ** 30);
        }
      `);
      const [models] = await Promise.all([detectModels(agentId), skillsOf(agentId)]);
      expect(models).toEqual([null, null]);
      expect(megabytes() - before).toBeLessThan(200);
      await othersWork();
    },
    "crowded-skills": async () => {
      const agentId = await prepared(`
        const skills = process.env.HOME + "/.claude/skills";
        fs.mkdirSync(skills, { recursive: true });
        for (let n = 0; n < 20_000; n += 1) fs.closeSync(fs.openSync(skills + "/" + n, "w"));
      `);
      const listing = skillsOf(agentId);
      await othersWork();
      expect((await listing).warnings.join()).toMatch(/more than 1000 entries: the others are not listed/);
    },
    "forged-findings": async () => {
      const agentId = await prepared(`
        for (const name of ["plain", "x\\nskill 0 forged", "|text 0", "command 0 bin"]) {
          const folder = process.env.HOME + "/.claude/skills/" + name;
          fs.mkdirSync(folder, { recursive: true });
          fs.writeFileSync(folder + "/SKILL.md", "");
        }
      `);
      const { entries, warnings } = await skillsOf(agentId);
      const names = entries.filter(({ managed }) => !managed).map(({ runtimeName }) => runtimeName);
      expect(names.sort()).toEqual(["command 0 bin", "plain", "|text 0"]);
      expect(warnings.join()).toMatch(/A name with a line break/);
    },
    /** The file is one of the service's machine, where another agent of the company may run. */
    "linked-instructions": async () => {
      const theirs = await preparedHere(
        globex,
        `fs.writeFileSync(process.env.HOME + "/plan.md", "the plan of Globex", { mode: 0o666 });`,
      );
      const agentId = await withCli("");
      for (const target of [join(attacked.dataDir, "board-token"), `${theirs}/plan.md`]) {
        const link = `fs.rmSync(process.env.HOME + "/AGENTS.md", { force: true });
          fs.symlinkSync(${JSON.stringify(target)}, process.env.HOME + "/AGENTS.md");`;
        const home = await preparedHere(acme, link);
        await again(agentId, link);
        for (const folder of [home, "/boardroom/work/home"]) {
          const instructionsFilePath = join(folder, "AGENTS.md");
          await update(agentId, "adapter_a_local", { command: cli, args: null, instructionsFilePath });
          const { status, error, text } = await woken(agentId);
          expect([status, error]).toEqual([
            "failed",
            expect.stringContaining("instructionsFilePath names a file that cannot be read"),
          ]);
          expect(JSON.stringify([text, error])).not.toContain(readFileSync(target, "utf8").trim());
        }
      }
    },
    "pipe-for-instructions": async () => {
      const home = await preparedHere(acme, `execFileSync("mkfifo", [process.env.HOME + "/pipe.md"]);`);
      const agentId = await withCli("");
      const instructionsFilePath = join(home, "pipe.md");
      await update(agentId, "adapter_a_local", { command: cli, args: null, instructionsFilePath });
      const { status, error } = await woken(agentId);
      expect([status, error]).toEqual([
        "failed",
        expect.stringMatching(/instructionsFilePath names a file that cannot be read: .*\. Not a file\./),
      ]);
    },
    "too-many-questions": async () => {
      const test = (companyId: string) =>
        attacked.board.adapters
          .testEnvironment({
            companyId,
            adapterType: "adapter_c_local",
            adapterConfig: { model: "a/b" },
          })
          .then(
            () => "answered",
            ({ status, code, retryAfterSec }) => [status, code, retryAfterSec],
          );
      const asked = Promise.all(Array.from({ length: 30 }, () => test(acme)));
      expect(await test(globex)).toBe("answered");
      const refused = (await asked).filter((answer) => answer !== "answered");
      expect(refused.length).toBeGreaterThanOrEqual(1);
      for (const answer of refused) expect(answer).toEqual([429, "adapter_busy", 5]);
    },
    /** A run has copies of its own. */
    "laid-out-files": async () => {
      const agentId = await withCli(`
        const root = "/boardroom/files";
        const all = () => fs.readdirSync(root, { recursive: true }).filter((name) => fs.statSync(root + "/" + name).isFile());
        const found = Object.fromEntries(all().map((name) => [name.slice(name.indexOf("skills/")), fs.readFileSync(root + "/" + name, "utf8")]));
        for (const name of fs.readdirSync(root, { recursive: true }).reverse()) {
          const path = root + "/" + name;
          tried(() => fs.statSync(path).isFile() ? fs.writeFileSync(path, "changed") : fs.writeFileSync(path + "/written", "changed"));
          tried(() => fs.renameSync(path, path + ".away"));
          tried(() => fs.symlinkSync("/boardroom/work", path));
        }
        return found;
      `);
      const folder = join(attacked.dataDir, "skills");
      const ofService = () =>
        readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) =>
          name.endsWith("SKILL.md") ? [readFileSync(join(folder, name), "utf8")] : [],
        );
      await update(agentId, "adapter_a_local", { command: cli, args: null, desiredSkills: ["boardroom"] });
      const printed = async () =>
        JSON.parse((await woken(agentId)).text.split("\n").findLast((line) => line.startsWith("{"))!);
      const first = await printed();
      const before = ofService();
      expect(before).toContain(first["skills/boardroom/SKILL.md"]);
      expect(await printed()).toEqual(first);
      expect(ofService()).toEqual(before);
    },
  };

  /** As what a configuration can name a path; on an engine it is one inside. */
  const naming = (path: string) => [
    { cwd: path },
    { command: path },
    ...["HOME", "CODEX_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"].map((name) => ({
      env: { [name]: path },
    })),
    { env: { PATH: `/bin:${path}` } },
  ];
  /** Changed by a program that got into the data directory. */
  const stateOf = (dataDir: string) => [
    existsSync(join(dataDir, "left")),
    ...["", "board-token", "database", "runners"].map((name) => {
      const { uid, gid, mode } = statSync(join(dataDir, name));
      return [uid, gid, mode];
    }),
  ];
  const readsKeys = (folder: string) =>
    `["master.key", "board-token", "database"].map((name) => tried(() => fs.statSync(${folder} + "/" + name) && "seen"))`;
  const noKeys = ["ENOENT", "ENOENT", "ENOENT"];
  /** Where a link could lead: from the root, or out of the agent's volume where the engine keeps it. */
  const targetsOf = (path: string) => [path, `../../../../../..${path}`];

  const pathsTrials = {
    "data-directory": async () => {
      const { dataDir, folder, board } = attacked;
      const before = stateOf(dataDir);
      const link = join(folder, "link-to-data");
      symlinkSync(dataDir, link);
      const agentId = await prepared("");
      for (const path of [dataDir, link])
        for (const config of naming(path)) {
          const { text, error } = await again(agentId, `return ${readsKeys(JSON.stringify(path))}`, config);
          if ("cwd" in config) expect(error).toContain("is below /boardroom/work");
          else if ("command" in config) expect(error).toMatch(/was not found|may not be started/);
          else expect(JSON.parse(text), JSON.stringify(config)).toEqual(noKeys);
        }
      // The service sends a file of instructions: it is read by a program in the sandbox of its machine.
      for (const path of [join(dataDir, "board-token"), join(link, "board-token"), "/etc/shadow"]) {
        await update(agentId, "adapter_a_local", {
          command: "cat",
          args: null,
          env: null,
          instructionsFilePath: path,
        });
        const { status, error } = await woken(agentId);
        expect([status, error]).toEqual(["failed", expect.stringContaining("instructionsFilePath names")]);
      }
      // Set where it is a path inside, then moved to the service's machine.
      const moved = await prepared("");
      const { args } = attemptedBy(`return ${readsKeys(JSON.stringify(dataDir))}`);
      const adapterConfig = { command: process.execPath, args, cwd: dataDir } as never;
      await board.agents.update({ agentId: moved, adapterConfig });
      await expect(
        board.agents.update({ agentId: moved, runtimeConfig: { runner: "local" } }),
      ).rejects.toMatchObject({ code: "path_not_allowed" });
      await board.companies.update({ companyId: acme, runner: "local" });
      const { status, error, text } = await woken(moved);
      await board.companies.update({ companyId: acme, runner: null });
      expect([status, error]).toEqual(["failed", expect.stringContaining("data directory")]);
      expect(text).not.toContain("seen");
      expect(stateOf(dataDir)).toEqual(before);
    },
    kernel: async () => {
      const agentId = await prepared("");
      for (const cwd of ["/", "/proc", "/sys", "/dev", "/run", "/tmp", "/boardroom/work/../../proc"])
        expect(await again(agentId, "", { cwd })).toMatchObject({
          status: "failed",
          error: expect.stringContaining("is below /boardroom/work"),
        });
      const seen = (await attacked.attempt(
        acme,
        `const argumentsOf = (pid) => tried(() => fs.readFileSync("/proc/" + pid + "/cmdline", "utf8"));
         return {
           machine: tried(() => fs.statSync(${JSON.stringify(attacked.folder)}) && "seen"),
           processes: fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).map(argumentsOf),
           devices: fs.readdirSync("/dev").filter((name) => fs.statSync("/dev/" + name).isBlockDevice()),
           written: ["/proc/sys/kernel/core_pattern", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/x"].filter((path) =>
             tried(() => fs.writeFileSync(path, "x") ?? "written") === "written"),
         };`,
      )) as Record<string, readonly string[]>;
      expect(seen).toMatchObject({ machine: "ENOENT", devices: [], written: [] });
      expect(seen.processes?.length).toBeLessThan(5);
      expect(seen.processes?.join("\n")).not.toMatch(/boardroom\.js|dockerd|podman|containerd|kubelet/);
    },
    "link-in-home": async () => {
      const { dataDir } = attacked;
      const before = stateOf(dataDir);
      const inHome = await prepared(`
        fs.symlinkSync(${JSON.stringify(dataDir)}, process.env.HOME + "/.codex");
      `);
      const env = { CODEX_HOME: "/boardroom/work/home/.codex" };
      const next = await again(inHome, `return ${readsKeys("process.env.CODEX_HOME")}`, { env });
      expect(JSON.parse(next.text)).toEqual(noKeys);
      // Where the folder above its home is its own, too.
      for (const target of targetsOf(dataDir)) {
        const agentId = await prepared(`
          return ["home", "workspace"].map((name) => tried(() => {
            fs.renameSync("/boardroom/work/" + name, "/boardroom/work/old-" + name);
            fs.symlinkSync(${JSON.stringify(target)}, "/boardroom/work/" + name);
          }));`);
        const { text } = await again(agentId, `return ${readsKeys("process.env.HOME")}`);
        expect(text).not.toContain("seen");
      }
      expect(stateOf(dataDir)).toEqual(before);
    },
    "link-as-cwd": async () => {
      const { dataDir } = attacked;
      const before = stateOf(dataDir);
      for (const target of targetsOf(dataDir)) {
        const agentId = await prepared(`
          fs.symlinkSync(${JSON.stringify(target)}, "project");
          fs.symlinkSync(${JSON.stringify(target)}, process.env.HOME + "/project");
        `);
        for (const cwd of ["workspace/project", "workspace/project/database", "home/project"]) {
          const { text } = await again(agentId, `fs.writeFileSync("left", ""); return ${readsKeys('"."')}`, {
            cwd: `/boardroom/work/${cwd}`,
          });
          expect(text).not.toContain("seen");
        }
      }
      expect(stateOf(dataDir)).toEqual(before);
    },
    "link-as-command": async () => {
      const there = join(attacked.folder, "there");
      writeFileSync(there, "#!/bin/sh\necho of the machine\n", { mode: 0o755 });
      for (const target of targetsOf(there)) {
        const agentId = await prepared(`
          fs.mkdirSync("bin");
          fs.symlinkSync(${JSON.stringify(target)}, "bin/tool");
        `);
        const bin = "/boardroom/work/workspace/bin";
        for (const config of [
          { command: `${bin}/tool` },
          { command: "tool", env: { PATH: `/usr/bin:${bin}:bin` } },
        ]) {
          const { status, error, text } = await again(agentId, "", { args: null, ...config });
          expect([status, text, error]).toEqual(["failed", "", expect.stringContaining("was not found")]);
        }
      }
    },
    loaders: async () => {
      const workspace = "/boardroom/work/workspace";
      const mark = `id -u >> ${workspace}/loaded; echo $$ >> ${workspace}/loaded`;
      const agentId = await prepared(`
        fs.writeFileSync("mark.cjs", 'require("node:fs").appendFileSync("${workspace}/loaded", "process " + process.pid + "\\\\n")');
        fs.writeFileSync("mark.sh", ${JSON.stringify(mark)});
        fs.writeFileSync("Mark.pm", 'package Mark; BEGIN { system(${JSON.stringify(mark)}) } 1;');
      `);
      const named = {
        LD_PRELOAD: `${workspace}/missing.so`,
        LD_LIBRARY_PATH: workspace,
        NODE_OPTIONS: `--require=${workspace}/mark.cjs`,
        NODE_PATH: workspace,
        PERL5LIB: workspace,
        PERL5OPT: "-MMark",
        BASH_ENV: `${workspace}/mark.sh`,
        ENV: `${workspace}/mark.sh`,
        SHELLOPTS: "xtrace",
        PS4: `$(${mark})`,
      };
      const { status, text } = await again(
        agentId,
        `return [process.env.LD_PRELOAD, String(process.pid), fs.readFileSync("loaded", "utf8"),
           fs.readFileSync("/proc/1/environ", "utf8"), fs.readFileSync("/proc/1/maps", "utf8")]`,
        { env: named },
      );
      expect([status, text]).toEqual(["succeeded", expect.anything()]);
      const [preload, pid, loaded, environment, mapped] = JSON.parse(text.trim().split("\n").at(-1)!);
      expect(preload).toBe(named.LD_PRELOAD);
      expect(loaded).toBe(`process ${pid}\n`);
      expect(Number(pid)).toBeGreaterThan(1);
      for (const name of Object.keys(named)) expect(environment).not.toContain(`${name}=`);
      expect(mapped).not.toContain(workspace);
    },
  };

  /** The limit ended the run. */
  const endsOverMemory = async (command: string, args: readonly string[]) => {
    const { runId } = await attacked.invoke(acme, { command, args, timeoutSec: 120, graceSec: 100 });
    const { errorCode, error } = await attacked.ended(runId);
    expect([errorCode, error]).toEqual(["memory_limit", expect.anything()]);
    return attacked.printed(runId);
  };

  const machineTrials = {
    "another-companys-files": async () => {
      const writes = `return [process.env.HOME, process.cwd()].map((folder) => {
        fs.chmodSync(folder, 0o777);
        fs.writeFileSync(folder + "/kept", "x", { mode: 0o666 });
        fs.chmodSync(folder + "/kept", 0o666);
        return folder + "/kept";
      })`;
      const theirs = await attacked.attempt(acme, writes);
      expect(theirs).toEqual(["/boardroom/work/home/kept", "/boardroom/work/workspace/kept"]);
      const all = await attacked.attempt(
        globex,
        `return [${JSON.stringify(theirs)}.map((path) => tried(() => fs.readFileSync(path, "utf8"))),
           fs.readdirSync("/boardroom/work", { recursive: true }).sort()]`,
      );
      expect(all).toEqual([
        ["ENOENT", "ENOENT"],
        ["home", "workspace"],
      ]);
    },
    modes: async () => {
      const made = await attacked.attempt(
        acme,
        `return [process.env.HOME, process.cwd()].flatMap((folder) => {
          fs.writeFileSync(folder + "/file", "", { mode: 0o666 });
          fs.mkdirSync(folder + "/folder");
          return ["/file", "/folder"].map((name) => (fs.statSync(folder + name).mode & 0o777).toString(8));
        })`,
      );
      expect(made).toEqual(["600", "700", "600", "700"]);
    },
    descriptors: async () => {
      const { runId } = await attacked.invoke(acme, { command: "ls", args: ["-l", "/proc/self/fd"] });
      await attacked.ended(runId);
      const lines = (await attacked.printed(runId)).split("\n").filter((line) => line.includes("->"));
      // The last one is that of the listing.
      expect(lines.map((line) => /(\d+) -> /.exec(line)?.[1])).toEqual(["0", "1", "2", "3"]);
      expect(lines.at(-1)).toMatch(/\/proc\/\d+\/fd$/);
    },
    "outputs-by-name": async () => {
      const { runId } = await attacked.invoke(acme, {
        command: "sh",
        args: ["-c", "echo one > /dev/stderr && echo two | tee /dev/stderr > /dev/stdout && echo three"],
      });
      expect(await attacked.ended(runId)).toMatchObject({ status: "succeeded" });
      const lines = (await attacked.printed(runId)).split("\n").filter(Boolean);
      expect(lines.toSorted()).toEqual(["one", "three", "two", "two"]);
    },
    "grace-of-a-hoarder": async () => {
      const { args } = nodeAgent(`
        process.on("SIGTERM", () => console.log("got a grace period"));
        const held = [];
        for (let n = 0; n < 60; n++) held.push(Buffer.alloc(10 * 1024 * 1024, 1));
        setInterval(() => held.length, 1000);
      `);
      expect(await endsOverMemory("node", args)).not.toContain("grace");
    },
    "opened-folders": async () => {
      const folders = `[process.env.HOME, process.cwd()]`;
      const agentId = await prepared(`for (const folder of ${folders}) fs.chmodSync(folder, 0o777);`);
      const { text } = await again(
        agentId,
        `return ${folders}.map((folder) => (fs.statSync(folder).mode & 0o777).toString(8))`,
      );
      expect(JSON.parse(text)).toEqual(["700", "700"]);
    },
    "memory-in-files": async () => {
      if (engine.memoryFolder !== null)
        await endsOverMemory("sh", ["-c", `cat /dev/zero > ${engine.memoryFolder}/x; sleep 100`]);
      const anonymous = process.arch === "arm64" ? 279 : 319;
      await endsOverMemory("perl", [
        "-e",
        `my $file = syscall(${anonymous}, my $name = "held", 0);
         open(my $out, ">&=", $file) or die;
         for (1 .. 600) { syswrite($out, "x" x 1048576) }
         sleep 100;`,
      ]);
      const [unshare, mount] = process.arch === "arm64" ? [97, 40] : [272, 165];
      const ownFiles = [
        "-e",
        `if (syscall(${unshare}, 0x10020000) != 0) { print "refused"; exit }
         open(my $map, ">", "/proc/self/uid_map") or die; syswrite($map, "1000 1000 1"); close($map);
         open($map, ">", "/proc/self/setgroups") or die; syswrite($map, "deny"); close($map);
         open($map, ">", "/proc/self/gid_map") or die; syswrite($map, "1000 1000 1"); close($map);
         my ($none, $at, $kind) = ("none", "/tmp", "tmpfs");
         syscall(${mount}, $none, $at, $kind, 0, 0) == 0 or die "no mount: $!";
         open(my $out, ">", "/tmp/x") or die "no file: $!";
         for (1 .. 600) { syswrite($out, "x" x 1048576) }
         sleep 100;`,
      ];
      if (engine.hasUserNamespaces) return void (await endsOverMemory("perl", ownFiles));
      const { runId } = await attacked.invoke(acme, { command: "perl", args: ownFiles });
      await attacked.ended(runId);
      expect(await attacked.printed(runId)).toBe("refused");
    },
    "memory-in-segments": async () => {
      await endsOverMemory("perl", [
        "-e",
        `my $id = shmget(0, 300 * 1048576, 0600 | 512); die unless defined $id;
         for (0 .. 299) { shmwrite($id, "x" x 1048576, $_ * 1048576, 1048576) or die }
         sleep 100;`,
      ]);
    },
    "memory-of-a-threads-child": async () => {
      await endsOverMemory("node", [
        "-e",
        // The kernel ends what grows, and the program fails of it.
        `const { Worker } = require("node:worker_threads");
         const thread = () => {
           const grow = "const held = []; for (let n = 0; n < 60; n++) held.push(Buffer.alloc(10485760, 1)); setInterval(() => held, 1000)";
           const child = require("node:child_process").spawn(process.execPath, ["-e", grow], { stdio: "ignore" });
           child.on("exit", () => require("node:worker_threads").parentPort.postMessage("ended"));
         };
         new Worker("(" + thread + ")()", { eval: true }).on("message", () => process.exit(1));`,
      ]);
    },
    environments: async () => {
      const { runId } = await attacked.invoke(globex, {
        ...nodeAgent(`console.log("up"); setTimeout(() => {}, 120_000);`),
        command: "node",
        timeoutSec: 150,
        graceSec: 1,
      });
      await eventually(
        () => attacked.printed(runId),
        (text) => text.includes("up"),
      );
      const { folder, left } = engine.start;
      const seen = (await attacked.attempt(
        acme,
        `const ofProcesses = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).flatMap((pid) => ["environ", "cmdline"].map((name) => "/proc/" + pid + "/" + name));
         const left = fs.readdirSync("${folder}").filter((name) => !name.startsWith("..")).sort();
         const files = [...ofProcesses, ...left.filter((name) => !name.endsWith(".mjs")).map((name) => "${folder}/" + name)];
         return [left, files.map((file) => tried(() => fs.readFileSync(file, "utf8"))).join("\\n")];`,
      )) as [readonly string[], string];
      await attacked.board.runs.cancel({ runId });
      expect(seen[0]).toEqual(left);
      expect(seen[1]).toContain("SERVICE_RUN_ID=");
      expect(seen[1]).not.toContain(runId);
      expect(seen[1]).not.toMatch(new RegExp(`${masterKey}|SERVICE_SECRETS|SERVICE_DATA_DIR|DATABASE_URL`));
    },
    "rights-on-the-engine": async () => {
      const mount = process.arch === "arm64" ? 40 : 165;
      const seen = (await attacked.attempt(
        acme,
        `return {
           found: ${JSON.stringify([...engine.sockets, "/var/run/secrets"])}.filter((path) => fs.existsSync(path)),
           user: [process.getuid(), process.getgid()],
           rights: fs.readFileSync("/proc/self/status", "utf8").split("\\n").filter((line) => /^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs)/.test(line)).map((line) => line.split("\\t")[1]),
           mount: execFileSync("perl", ["-e", 'my $a = "none"; my $b = "/tmp"; my $c = "tmpfs"; print syscall(${mount}, $a, $b, $c, 0, 0)']).toString(),
         };`,
      )) as object;
      expect(seen).toEqual({
        found: [],
        user: [1000, 1000],
        rights: ["0".repeat(16), "0".repeat(16), "0".repeat(16), "0".repeat(16), "1"],
        mount: "-1",
      });
    },
  };

  return {
    open,
    close: async () => attacked?.close(),
    attacked: () => attacked,
    acme: () => acme,
    agentFiles: agentFilesTrials,
    paths: pathsTrials,
    machine: machineTrials,
  };
};
