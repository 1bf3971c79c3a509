import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { neverSubnets } from "../../plugins/kit/judged-address.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/external-adapter.ts";
import { freePort } from "../support/free-port.ts";
import { carriersOf, isLiving } from "../support/run-processes.ts";
import { refusedProgram } from "../support/service-program.ts";
import { type AttackedService, attackedService, ordinaryUser } from "./attacked-service.ts";
import { machine } from "./attempts/machine.ts";
import { carryOut } from "./carry-out.ts";

/** The firewall rules of a service or its supervisor, by its process. */
const rulesOf = (pid: number | undefined, firewall = "iptables") =>
  execFileSync(firewall, ["-w", "-S", "OUTPUT"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(` ${pid} `) && line.includes("boardroom-service"));

/** Those of IPv4: the addresses that no configuration leads to, and the database's port. */
const rulesOfOne = neverSubnets.filter(([net]) => !net.includes(":")).length + 1;

/** Removes rules as `iptables -S` lists them, all at once: a service that finds one of its own missing adds all anew. */
const removeRules = (rules: readonly string[]) =>
  execFileSync("iptables-restore", ["-w", "--noflush"], {
    input: ["*filter", ...rules.map((rule) => rule.replace("-A", "-D")), "COMMIT", ""].join("\n"),
  });

const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Whether such a rule is there, of whomever. */
const isRule = (rule: string): boolean => {
  try {
    execFileSync("sh", ["-c", `iptables -w -C OUTPUT ${rule}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** An iptables for one service, which refuses all new rules as long as a file is there. */
const refusingFirewall = () => {
  const folder = temporaryFolder();
  const mark = join(folder, "refuse");
  const real = execFileSync("which", ["iptables-restore"]).toString().trim();
  writeFileSync(
    join(folder, "iptables-restore"),
    `#!/bin/sh
input=$(cat)
case "$input" in *-I*) [ ! -e ${mark} ] || exit 4 ;; esac
printf '%s\\n' "$input" | ${real} "$@"
`,
    { mode: 0o755 },
  );
  return {
    PATH: `${folder}:${process.env.PATH}`,
    refuse: () => writeFileSync(mark, ""),
    accept: () => rmSync(mark),
    remove: () => rmSync(folder, { recursive: true }),
  };
};

/** A machine where somebody has those users: what a service is started through. */
const machineWith = (folder: string, users: readonly number[]): readonly string[] => {
  const file = join(folder, "passwd");
  const lines = users.map((uid) => `user${uid}:x:${uid}:${uid}::/nonexistent:/usr/sbin/nologin\n`);
  writeFileSync(file, readFileSync("/etc/passwd", "utf8") + lines.join(""), { mode: 0o644 });
  return ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/passwd && exec "$@"', file];
};

const isArm = process.arch === "arm64";
const keyctl = isArm ? 219 : 250;
/** userfaultfd, add_key, request_key, keyctl. */
const callsOfKeys = isArm ? [282, 217, 218, 219] : [323, 248, 249, 250];

/** Starts a service with what its programs are not to inherit. */
const generousStart = [
  // Where root may: a container's has fewer rights.
  ...["bash", "-c", 'ulimit -r 50; ulimit -e 30; exec "$@"', "bash"],
  ...[
    "perl",
    "-e",
    `syscall(${keyctl}, 1, my $name = "operators") >= 0 or die $!;
     syscall(${callsOfKeys[1]}, my $type = "user", my $key = "boardroom-test", my $value = "secret", 6, -3) >= 0 or die $!;
     open(my $score, ">", "/proc/self/oom_score_adj"); syswrite($score, "-500");
     $SIG{$_} = "IGNORE" for qw(HUP INT USR1 USR2);
     umask 0;
     exec @ARGV or die $!`,
    "--",
  ],
];

const statusFields = ["Umask", "Groups", "SigBlk", "SigIgn", "CapInh", "CapPrm", "CapEff", "CapAmb"];

/** A shell script that prints what its process has inherited: the status, limits, namespaces and the operator's key. */
const showsInherited = `
grep -E '^(${statusFields.join("|")}|NoNewPrivs|Seccomp):' /proc/self/status
echo "oom: $(cat /proc/$$/oom_score_adj)"
echo "tty: $(cut -d')' -f2- /proc/$$/stat | cut -d' ' -f6)"
echo "isLeader: $([ "$(cut -d')' -f2- /proc/$$/stat | cut -d' ' -f5)" = "$(cut -d')' -f2- /proc/$$/stat | cut -d' ' -f4)" ] && echo yes)"
sed -nE 's/^Max (realtime|nice) priority *([0-9]*) *([0-9]*).*/\\1: \\2 \\3/p' /proc/$$/limits
for each in /proc/$$/ns/*; do echo "ns \${each##*/}: $(readlink $each)"; done
perl -e 'print "key: ", syscall(${keyctl}, 10, -3, my $t = "user", my $d = "boardroom-test", 0) < 0 ? "none" : "found", "\n"'
`;

const ownNamespaces = readdirSync("/proc/self/ns");
const sharedNamespace = (name: string, link: string) =>
  link === readlinkSync(`/proc/self/ns/${name}`) ? "shared" : "own";

const inheritedIn = (printed: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    printed
      .split("\n")
      .filter((line) => line.includes(":"))
      .map((line) => {
        const [, name = "", value = ""] = /^([^:]+):\s*(.*?)\s*$/.exec(line) ?? [];
        const namespace = /^ns (.*)$/.exec(name)?.[1];
        return [name, namespace === undefined ? value : sharedNamespace(namespace, value)];
      }),
  );

/** Of each namespace of the kernel: a kind that is new to this list fails. */
const namespacesOfSandbox: Readonly<Record<string, "own" | "shared">> = {
  cgroup: "shared",
  ipc: "own",
  mnt: "own",
  net: "shared",
  pid: "own",
  pid_for_children: "own",
  time: "shared",
  time_for_children: "shared",
  uts: "shared",
};

const expectedToInherit = (environment: "root" | "user", isSandboxed: boolean) => {
  const isRoot = environment === "root" && !isSandboxed;
  const none = "0".repeat(16);
  const all = /^CapBnd:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
  return {
    ...{ Umask: "0077", Groups: "", SigBlk: none, SigIgn: none, CapInh: none, CapAmb: none },
    ...{ CapPrm: isRoot ? all : none, CapEff: isRoot ? all : none },
    ...{ NoNewPrivs: isSandboxed ? "1" : "0", Seccomp: isSandboxed ? "2" : "0" },
    ...{ oom: "0", tty: "0", isLeader: "yes", realtime: "0 0", nice: "0 0", key: "none" },
    ...Object.fromEntries(
      ownNamespaces.map((name) => {
        const inSandbox =
          name === "user" ? (environment === "user" ? "own" : "shared") : namespacesOfSandbox[name];
        return [`ns ${name}`, isSandboxed ? inSandbox : "shared"];
      }),
    ),
  };
};

/** Scripts that hold 240 MB or more, each in a way of its own. */
const hoarding = {
  temporary: `for folder in /tmp /var/tmp; do dd if=/dev/zero of=$folder/x bs=1M count=90 2>/dev/null; done
    perl -e 'my $held = "x" x (60 * 1048576); sleep 300'`,
  namespace:
    "mkdir /tmp/x; unshare -Urm sh -c 'mount -t tmpfs none /tmp/x && dd if=/dev/zero of=/tmp/x/x bs=1M count=300 2>/dev/null; sleep 300'",
  anonymous: `perl -e '
    my $file = syscall(${process.arch === "arm64" ? 279 : 319}, my $name = "held", 0);
    open(my $out, ">&=", $file) or die;
    for (1 .. 300) { syswrite($out, "x" x 1048576) }
    sleep 300;'`,
  segment: `perl -e '
    my $id = shmget(0, 300 * 1048576, 0600 | 512); die unless defined $id;
    for (0 .. 299) { shmwrite($id, "x" x 1048576, $_ * 1048576, 1048576) or die }
    sleep 300;'`,
  thread: `exec ${process.execPath} -e '
    const { Worker } = require("node:worker_threads");
    const thread = () => {
      const grow = "const held = []; for (let n = 0; n < 30; n++) held.push(Buffer.alloc(10485760, 1)); setInterval(() => held, 1000)";
      require("node:child_process").spawn(process.execPath, ["-e", grow], { stdio: "ignore" });
      setInterval(() => {}, 1000);
    };
    new Worker("(" + thread + ")()", { eval: true });'`,
};

const endsOverMemory = async (how: keyof typeof hoarding) => {
  const { runId } = await attacked.invoke(acme, {
    command: "sh",
    args: ["-c", hoarding[how]],
    timeoutSec: 120,
  });
  const { errorCode } = await attacked.ended(runId);
  expect({ how, errorCode, output: await attacked.printed(runId) }).toMatchObject({
    errorCode: "memory_limit",
  });
};

let attacked: AttackedService;
let acme: string;
let globex: string;

carryOut(
  machine,
  ["root", "user"],
  {
    "another-companys-files": async () => {
      const { agentId, runId } = await attacked.invoke(acme, {
        ...nodeAgent(`
          import { writeFileSync } from "node:fs";
          for (const folder of [process.env.HOME, process.cwd()]) writeFileSync(folder + "/kept", "x", { mode: 0o666 });
          console.log("kept in " + process.env.HOME);
        `),
      });
      await eventually(
        () => attacked.printed(runId),
        (text) => text.includes("kept in"),
      );
      const theirs = [
        join(attacked.dataDir, "workspaces", agentId, "kept"),
        join(attacked.dataDir, "homes", acme, "kept"),
      ];
      for (const path of theirs)
        expect(
          await attacked.attempt(globex, `return tried(() => fs.readFileSync(process.env.THEIRS, "utf8"))`, {
            env: { THEIRS: path },
          }),
        ).toBe("ENOENT");
    },
    modes: async (place) => {
      const fresh = await attackedService(place);
      try {
        const company = (await fresh.board.companies.create({ name: "Acme" })).id;
        for (const _run of ["started by the service", "started by its spawner"]) {
          const made = await fresh.attempt(
            company,
            `return [process.env.HOME, process.cwd()].flatMap((folder) => {
              for (const name of ["file", "folder"]) fs.rmSync(folder + "/" + name, { recursive: true, force: true });
              fs.writeFileSync(folder + "/file", "", { mode: 0o666 });
              fs.mkdirSync(folder + "/folder");
              return ["", "/file", "/folder"].map((name) => (fs.statSync(folder + name).mode & 0o777).toString(8));
            })`,
          );
          expect(made).toEqual(["700", "600", "700", "700", "600", "700"]);
        }
      } finally {
        await fresh.close();
      }
    },
    descriptors: async (environment) => {
      const fresh = await attackedService(environment);
      try {
        const company = (await fresh.board.companies.create({ name: "Acme" })).id;
        const shell = { command: "sh", args: ["-c", "ls -l /proc/self/fd; sleep 1"] };
        for (const _run of ["started by the service", "started by its spawner"]) {
          const { runId } = await fresh.invoke(company, shell);
          await fresh.ended(runId);
          const lines = (await fresh.printed(runId)).split("\n").filter((line) => line.includes("->"));
          // The last one is that of the listing.
          expect(lines.map((line) => /(\d+) -> /.exec(line)?.[1])).toEqual(["0", "1", "2", "3"]);
          expect(lines.at(-1)).toMatch(/\/proc\/\d+\/fd$/);
        }
      } finally {
        await fresh.close();
      }
    },
    inherited: async (environment) => {
      for (const isSandboxed of [true, false]) {
        const env: Record<string, string> = isSandboxed
          ? {}
          : { SERVICE_SANDBOX: "off", SERVICE_HANDOVER_SEC: "60" };
        const programs = temporaryFolder();
        chmodSync(programs, 0o755);
        writeFileSync(
          join(programs, "npm"),
          `#!/bin/bash\n{ ${showsInherited} } >"$HOME/npm-inherited"\nexit 1\n`,
          { mode: 0o755 },
        );
        const fresh = await attackedService(
          environment,
          { ...env, PATH: `${programs}:${process.env.PATH}` },
          null,
          generousStart,
        );
        try {
          const company = (await fresh.board.companies.create({ name: "Acme" })).id;
          for (const _run of ["started by the service", "by its spawner or its supervisor"]) {
            const { runId } = await fresh.invoke(company, { command: "sh", args: ["-c", showsInherited] });
            expect(await fresh.ended(runId)).toMatchObject({ status: "succeeded" });
            const found = inheritedIn(await fresh.printed(runId));
            expect(found).toEqual(expectedToInherit(environment, isSandboxed));
          }
          await expect(fresh.board.adapters.install({ packageName: "lighthouse" })).rejects.toMatchObject({
            code: "adapter_not_installable",
          });
          const ofNpm = inheritedIn(readFileSync(join(fresh.folder, "npm-inherited"), "utf8"));
          // It has the service's user, mask and rights, and runs no code of a package.
          expect(ofNpm).toMatchObject({
            key: "none",
            realtime: "0 0",
            nice: "0 0",
            oom: "0",
            CapAmb: "0".repeat(16),
          });
        } finally {
          await fresh.close();
        }
      }
    },
    "refused-calls": async () => {
      const { runId } = await attacked.invoke(acme, {
        command: "perl",
        args: [
          "-e",
          `for my $call (425, 426, 427, ${callsOfKeys.join(", ")}) { syscall($call, 0, 0, 0, 0, 0); print 0 + $!, " " }`,
        ],
      });
      await attacked.ended(runId);
      expect((await attacked.printed(runId)).trim()).toBe("38 38 38 38 38 38 38");
    },
    "outputs-by-name": async () => {
      for (const company of [acme, globex]) {
        const { runId } = await attacked.invoke(company, {
          command: "sh",
          args: ["-c", "echo one > /dev/stderr && echo two | tee /dev/stderr > /dev/stdout && echo three"],
        });
        expect(await attacked.ended(runId)).toMatchObject({ status: "succeeded" });
        const output = (await attacked.printed(runId)).split("\n").filter(Boolean);
        expect(output.toSorted()).toEqual(["one", "three", "two", "two"]);
      }
    },
    "grace-of-a-hoarder": async () => {
      const { runId } = await attacked.invoke(acme, {
        ...nodeAgent(`
          process.on("SIGTERM", () => console.log("got a grace period"));
          const held = [];
          for (let n = 0; n < 30; n++) held.push(Buffer.alloc(10 * 1024 * 1024, 1));
          setInterval(() => held.length, 1000);
        `),
        graceSec: 300,
      });
      expect(await attacked.ended(runId)).toMatchObject({ errorCode: "memory_limit" });
      expect(await attacked.printed(runId)).not.toContain("grace");
    },
    "required-with-a-gap": async (environment) => {
      const folder = temporaryFolder();
      if (environment === "user") chownSync(folder, ordinaryUser, ordinaryUser);
      const through =
        environment === "user"
          ? ["setpriv", `--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, "--clear-groups"]
          : [];
      const { code, output } = await refusedProgram(
        join(folder, "data"),
        // Where Debian keeps no iptables.
        { SERVICE_SANDBOX: "required", HOME: folder, PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
        { through },
      );
      expect(output).toMatch(/^boardroom cannot start: SERVICE_SANDBOX is required/m);
      expect(output).toContain(
        environment === "user" ? "The service is not root" : "iptables is not installed",
      );
      expect(code).toBe(1);
      rmSync(folder, { recursive: true, force: true });
    },
    "rules-of-two-services": async (environment) => {
      const other = await attackedService(environment);
      const theirs = other.service.child.pid;
      expect(rulesOf(theirs)).toHaveLength(rulesOfOne);
      await other.close();
      expect(rulesOf(theirs)).toEqual([]);
      expect(rulesOf(attacked.service.child.pid)).toHaveLength(rulesOfOne);
      expect(await attacked.board.system.health()).toMatchObject({
        separation: { level: "separated", gaps: [] },
      });
    },
    "rules-removed": async () => {
      const { pid } = attacked.service.child;
      const rules = rulesOf(pid);
      expect(rules).toHaveLength(rulesOfOne);
      // Fails if one of them is not there; the service may have added them again at any moment from then on.
      removeRules(rules);
      await eventually(
        async () => rulesOf(pid),
        (present) => present.length === rulesOfOne,
      );
    },
    "rules-of-the-dead": async (environment) => {
      const other = await attackedService(environment);
      const dead = other.service.child.pid;
      expect(rulesOf(dead)).toHaveLength(rulesOfOne);
      // From then on each service of the machine may remove them.
      await other.service.stop("SIGKILL");
      await other.restart();
      expect(rulesOf(dead)).toEqual([]);
      expect(rulesOf(other.service.child.pid)).toHaveLength(rulesOfOne);
      expect(rulesOf(attacked.service.child.pid)).toHaveLength(rulesOfOne);
      await other.close();
    },
    "rules-of-all-addresses": () => {
      const { pid } = attacked.service.child;
      const closed = ["iptables", "ip6tables"].flatMap((firewall) =>
        rulesOf(pid, firewall).flatMap((rule) => / -d (\S+) .*-j REJECT/.exec(rule)?.[1] ?? []),
      );
      expect(closed.sort()).toEqual(neverSubnets.map(([net, bits]) => `${net}/${bits}`).sort());
    },
    "rules-of-left-programs": async (environment) => {
      const leaving = await attackedService(environment, { SERVICE_HANDOVER_SEC: "120" });
      const { id } = JSON.parse(readFileSync(join(leaving.dataDir, "installation"), "utf8")) as {
        id: string;
      };
      try {
        const company = (await leaving.board.companies.create({ name: "Acme" })).id;
        const { runId } = await leaving.invoke(company, { command: "sleep", args: ["600"], graceSec: 1 });
        const [program] = await eventually(
          async () => carriersOf([runId]),
          (found) => found.length > 0,
        );
        const service = leaving.service.child.pid;
        const supervisor = parentOf(program!);
        expect(supervisor).not.toBe(service);
        for (const firewall of ["iptables", "ip6tables"]) {
          expect(rulesOf(supervisor, firewall)).toHaveLength(rulesOf(service, firewall).length);
          expect(rulesOf(supervisor, firewall).length).toBeGreaterThan(0);
        }
        await leaving.service.stop();
        expect(rulesOf(service)).toEqual([]);
        // It removes rules of the dead at its start.
        const other = await attackedService(environment);
        await other.close();
        expect(isLiving(program!)).toBe(true);
        expect(rulesOf(supervisor)).toHaveLength(rulesOfOne);
        await leaving.restart();
        expect(rulesOf(supervisor)).toHaveLength(rulesOfOne);
        await leaving.board.runs.cancel({ runId });
        await leaving.ended(runId);
      } finally {
        await leaving.close();
      }
      for (const firewall of ["iptables", "ip6tables"]) {
        const listed = () => execFileSync(firewall, ["-w", "-S", "OUTPUT"], { encoding: "utf8" });
        await expect.poll(listed, { timeout: 60_000 }).not.toContain(id);
      }
    },
    "rules-of-killed-service": async (environment) => {
      const killed = await attackedService(environment);
      try {
        const company = (await killed.board.companies.create({ name: "Acme" })).id;
        const { runId } = await killed.invoke(company, { command: "sleep", args: ["600"], graceSec: 1 });
        await eventually(
          async () => carriersOf([runId]),
          (found) => found.length > 0,
        );
        const dead = killed.service.child.pid;
        await killed.service.stop("SIGKILL");
        const other = await attackedService(environment);
        await other.close();
        expect(carriersOf([runId]).length).toBeGreaterThan(0);
        expect(rulesOf(dead)).toHaveLength(rulesOfOne);
        await killed.restart();
        expect(rulesOf(dead)).toEqual([]);
      } finally {
        await killed.close();
      }
    },
    "rules-not-held": async (environment) => {
      const own = refusingFirewall();
      const { close, service, board } = await attackedService(environment, { PATH: own.PATH });
      try {
        expect(await board.system.health()).toMatchObject({ separation: { level: "separated", gaps: [] } });
        own.refuse();
        removeRules(rulesOf(service.child.pid));
        const { separation } = await eventually(
          () => board.system.health(),
          (health) => (health.separation?.gaps.length ?? 0) > 0,
        );
        expect(separation).toEqual({
          level: "partly",
          gaps: [
            expect.stringMatching(/^The firewall takes no rules from the service: agents reach the metadata/),
          ],
        });
        own.accept();
        await eventually(
          () => board.system.health(),
          (health) => health.separation?.level === "separated" && health.separation.gaps.length === 0,
        );
        expect(rulesOf(service.child.pid)).toHaveLength(rulesOfOne);
      } finally {
        await close();
        own.remove();
      }
    },
    "rules-of-older-versions": async () => {
      const [dead, living] = [await freePort(), await freePort()];
      const ofUsers = "-m owner --uid-owner 60000-60999 -j REJECT";
      const [metadataRule, ofDead, ofLiving] = [
        `-d 169.254.0.0/16 ${ofUsers}`,
        `-o lo -p tcp --dport ${dead} ${ofUsers}`,
        `-o lo -p tcp --dport ${living} ${ofUsers}`,
      ] as const;
      const nameless = [metadataRule, ofDead, ofLiving];
      const left = () => nameless.filter((rule) => isRule(rule));
      const database = createServer().listen(living, "127.0.0.1");
      try {
        for (const rule of nameless) execFileSync("sh", ["-c", `iptables -w -I OUTPUT ${rule}`]);
        await attacked.restart();
        expect(left()).toEqual(nameless);
        await new Promise((resolve) => database.close(resolve));
        await attacked.restart();
        expect(left()).toEqual([]);
        expect(rulesOf(attacked.service.child.pid)).toHaveLength(rulesOfOne);
      } finally {
        database.close();
        removeRules(left().map((rule) => `-A OUTPUT ${rule}`));
      }
    },
    "users-of-the-machine": async (environment) => {
      const folder = temporaryFolder();
      const some = machineWith(folder, [60_500, 59_999]);
      const { attempt, close, board } = await attackedService(environment, {}, null, some);
      try {
        const company = (await board.companies.create({ name: "Acme" })).id;
        const uid = await attempt(company, "return process.getuid()");
        expect(uid).toBeGreaterThan(58_000);
        expect(uid).toBeLessThan(59_000);
        expect(await board.system.health()).toMatchObject({ separation: { level: "separated", gaps: [] } });
      } finally {
        await close();
      }
      const thousands = Array.from({ length: 10 }, (_, n) => 51_000 + n * 1000);
      const all = machineWith(folder, thousands);
      const env = { SERVICE_SANDBOX: "required", HOME: folder };
      const { code, output } = await refusedProgram(join(folder, "data"), env, { through: all });
      expect(output).toMatch(
        /^boardroom cannot start: SERVICE_SANDBOX is required.*users of its own in each thousand/m,
      );
      expect(code).toBe(1);
      const partly = await attackedService(environment, {}, null, all);
      try {
        expect(await partly.board.system.health()).toMatchObject({
          separation: {
            level: "partly",
            gaps: expect.arrayContaining([expect.stringContaining("Set SERVICE_AGENT_UID to a free range.")]),
          },
        });
      } finally {
        await partly.close();
        rmSync(folder, { recursive: true });
      }
    },
    "users-of-two-instances": async (environment) => {
      const uid = "return process.getuid()";
      const other = await attackedService(environment);
      try {
        const theirs = (await other.board.companies.create({ name: "Acme" })).id;
        const first = await other.attempt(theirs, uid);
        const all = [first, await attacked.attempt(acme, uid), await attacked.attempt(globex, uid)];
        expect(new Set(all).size).toBe(3);
        for (const each of all) expect(each).toBeGreaterThan(0);
        await other.restart();
        expect(await other.attempt(theirs, uid)).toBe(first);
      } finally {
        await other.close();
      }
    },
    "opened-folders": async () => {
      const home = join(attacked.dataDir, "homes", acme);
      await attacked.attempt(acme, `fs.chmodSync(process.env.HOME, 0o777); fs.chmodSync(".", 0o777);`);
      expect(statSync(home).mode & 0o7777).toBe(0o777);
      await attacked.attempt(acme, "");
      expect(statSync(home).mode & 0o7777).toBe(0o700);
    },
    "memory-in-files": async () => {
      for (const how of ["temporary", "namespace", "anonymous"] as const) await endsOverMemory(how);
    },
    "memory-in-segments": () => endsOverMemory("segment"),
    "memory-of-a-threads-child": () => endsOverMemory("thread"),
    "old-home": async () => {
      const { folder, board } = attacked;
      expect(attacked.service.output()).toContain(`Agents do not see .codex/auth.json in ${folder}`);
      const { checks } = await board.adapters.testEnvironment({
        companyId: acme,
        adapterType: "adapter_b_local",
        adapterConfig: {},
      });
      expect(checks).toContainEqual(
        expect.objectContaining({
          code: "sign_in_not_seen",
          message: expect.stringContaining(".codex/auth.json"),
        }),
      );
      expect(JSON.stringify(checks)).not.toContain("not-for-agents");
      expect(
        await attacked.attempt(acme, `return tried(() => fs.readFileSync(process.env.OLD, "utf8"))`, {
          env: { OLD: join(folder, ".codex/auth.json") },
        }),
      ).toBe("ENOENT");
    },
  },
  (environment) => {
    beforeAll(async () => {
      attacked = await attackedService(environment, { SERVICE_RUN_MAX_MEMORY_MB: "200" });
      acme = (await attacked.board.companies.create({ name: "Acme" })).id;
      globex = (await attacked.board.companies.create({ name: "Globex" })).id;
    });
    afterAll(() => attacked?.close());
  },
);
