import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, vi } from "vitest";
import { type AttackedService, attackedService, attemptedBy } from "../attacks/attacked-service.ts";
import { agentFiles } from "../attacks/attempts/agent-files.ts";
import { machine } from "../attacks/attempts/machine.ts";
import { paths } from "../attacks/attempts/paths.ts";
import { carryOut } from "../attacks/carry-out.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/service.ts";
import { engineKinds, image, isInstalled, startEngine, type TestEngine } from "./engine.ts";

// `npm run test:docker`: the attacks of agents in containers, on a service whose agents all run there.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const masterKey = "a1".repeat(32);

describe.each(engineKinds.filter(isInstalled))("attacks in containers of %s", (kind) => {
  let engine: TestEngine | undefined;
  let attacked: AttackedService;
  let acme: string;
  let globex: string;
  beforeAll(async () => {
    engine = await startEngine(kind, { programs: ["mkfifo", "tee", "perl"] });
    attacked = await attackedService(
      "root",
      { SERVICE_SECRETS_MASTER_KEY: masterKey },
      {
        kind: "docker",
        host: `unix://${engine.socket}`,
        engine: "of-the-test",
        image,
        network: "host",
        memory: "200m",
      },
    );
    acme = (await attacked.board.companies.create({ name: "Acme" })).id;
    globex = (await attacked.board.companies.create({ name: "Globex" })).id;
  });
  afterAll(async () => {
    await attacked?.close();
    await engine?.close();
  });

  /** Runs the body as that agent, on its volume. */
  const again = async (agentId: string, body: string, config: object = {}) => {
    const adapterConfig = { ...attemptedBy(body), command: "node", cwd: null, env: null, ...config };
    await attacked.board.agents.update({ agentId, adapterType: "process", adapterConfig } as never);
    const { id } = await attacked.board.agents.invoke({ agentId });
    const run = await attacked.ended(id!);
    return { ...run, text: await attacked.printed(id!) };
  };
  /** An agent that has done so. */
  const prepared = async (body: string) => {
    const { agentId, runId } = await attacked.invoke(acme, { ...attemptedBy(body), command: "node" });
    const { status } = await attacked.ended(runId);
    expect([status, await attacked.printed(runId)]).toEqual(["succeeded", expect.anything()]);
    return agentId;
  };
  const skillsOf = async (agentId: string) => {
    const adapterConfig = { command: null, args: null } as never;
    await attacked.board.agents.update({ agentId, adapterType: "adapter_a_local", adapterConfig });
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

  carryOut(agentFiles, ["docker"], {
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
  });

  /** As what a configuration can name a path; in a container it is one inside. */
  const naming = (path: string) => [
    { cwd: path },
    { command: path },
    ...["HOME", "CODEX_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"].map((name) => ({
      env: { [name]: path },
    })),
    { env: { PATH: `/bin:${path}` } },
  ];
  /** What a program that got into the data directory would change. */
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

  carryOut(paths, ["docker"], {
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
        const config = { command: "cat", args: null, env: null, instructionsFilePath: path } as never;
        await board.agents.update({ agentId, adapterType: "adapter_a_local", adapterConfig: config });
        const { id } = await board.agents.invoke({ agentId });
        const { status, error } = await attacked.ended(id!);
        expect([status, error]).toEqual(["failed", expect.stringContaining("instructionsFilePath names")]);
      }
      // Set where it is a path inside, then moved to the service's machine.
      const moved = await prepared("");
      const { args } = attemptedBy(`return ${readsKeys(JSON.stringify(dataDir))}`);
      const adapterConfig = { command: process.execPath, args, cwd: dataDir } as never;
      await board.agents.update({ agentId: moved, adapterConfig });
      await board.agents.update({ agentId: moved, runtimeConfig: { runner: "local" } });
      const { id } = await board.agents.invoke({ agentId: moved });
      expect(await attacked.ended(id!)).toMatchObject({
        status: "failed",
        error: expect.stringContaining("data directory"),
      });
      expect(await attacked.printed(id!)).not.toContain("seen");
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
      expect(seen.processes?.join("\n")).not.toMatch(/boardroom\.js|dockerd|podman|containerd/);
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
      // On podman the folder above its home is its own, too.
      for (const target of [dataDir, `../../../../../..${dataDir}`]) {
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
      for (const target of [dataDir, `../../../../../..${dataDir}`]) {
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
  });

  /** The limit ended the run: where it took process 1, too, podman shows a killed container. */
  const endsOverMemory = async (command: string, args: readonly string[]) => {
    const { runId } = await attacked.invoke(acme, { command, args, timeoutSec: 120, graceSec: 100 });
    const { errorCode, error } = await attacked.ended(runId);
    if (errorCode !== "memory_limit" && kind === "podman")
      expect([errorCode, error]).toEqual(["adapter_failed", expect.stringContaining("container was killed")]);
    else expect([errorCode, error]).toEqual(["memory_limit", expect.anything()]);
    return attacked.printed(runId);
  };

  carryOut(machine, ["docker"], {
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
           fs.readdirSync("/boardroom/work", { recursive: true })]`,
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
      const said = (await attacked.printed(runId)).split("\n").filter(Boolean);
      expect(said.toSorted()).toEqual(["one", "three", "two", "two"]);
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
    "memory-in-files": async () => {
      await endsOverMemory("sh", ["-c", "cat /dev/zero > /tmp/x; sleep 100"]);
      const anonymous = process.arch === "arm64" ? 279 : 319;
      await endsOverMemory("perl", [
        "-e",
        `my $file = syscall(${anonymous}, my $name = "held", 0);
         open(my $out, ">&=", $file) or die;
         for (1 .. 600) { syswrite($out, "x" x 1048576) }
         sleep 100;`,
      ]);
      // podman lets a program make a user namespace, Docker does not.
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
      if (kind === "podman") return void (await endsOverMemory("perl", ownFiles));
      const { runId } = await attacked.invoke(acme, { command: "perl", args: ownFiles });
      await attacked.ended(runId);
      expect(await attacked.printed(runId)).toBe("refused");
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
      const seen = (await attacked.attempt(
        acme,
        `const files = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).flatMap((pid) => ["environ", "cmdline"].map((name) => "/proc/" + pid + "/" + name));
         const left = fs.readdirSync("/boardroom/start", { recursive: true }).sort();
         return [left, files.map((file) => tried(() => fs.readFileSync(file, "utf8"))).join("\\n")];`,
      )) as [readonly string[], string];
      await attacked.board.runs.cancel({ runId });
      expect(seen[0]).toEqual(["helper.mjs", "input"]);
      expect(seen[1]).toContain("SERVICE_RUN_ID=");
      expect(seen[1]).not.toContain(runId);
      expect(seen[1]).not.toMatch(new RegExp(`${masterKey}|SERVICE_SECRETS|SERVICE_DATA_DIR|DATABASE_URL`));
    },
    "rights-on-the-engine": async () => {
      const mount = process.arch === "arm64" ? 40 : 165;
      const seen = (await attacked.attempt(
        acme,
        `const sockets = ["/var/run/docker.sock", "/run/docker.sock", "/run/podman/podman.sock", ${JSON.stringify(engine?.socket)}];
         return {
           found: [...sockets, "/var/run/secrets"].filter((path) => fs.existsSync(path)),
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
  });
});
