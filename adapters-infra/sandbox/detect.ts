import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type Detach,
  type ProgramViews,
  type RunLimits,
  type Sandbox,
  type Separation,
  type UserRange,
  ViewRefused,
} from "../../ports/sandbox.ts";
import { bubblewrap, type SandboxTools } from "./bubblewrap.ts";
import { type Confinement, confined, detached, isKnownProcessor } from "./confine.ts";

/** SERVICE_SANDBOX: use what the machine allows, require it, or use none. */
export type SandboxMode = "auto" | "required" | "off";

/** The ranges of users for companies where the operator sets none: the first one that the machine leaves free. */
const defaultUsers: readonly UserRange[] = [60, 59, 58, 57, 56, 55, 54, 53, 52, 51].map((thousand) => ({
  first: thousand * 1000,
  last: thousand * 1000 + 999,
  gid: thousand * 1000,
}));

export interface SandboxFacts {
  readonly mode: SandboxMode;
  readonly dataDir: string;
  /** SERVICE_AGENT_UID; null where it is not set. */
  readonly configuredUsers: UserRange | null;
  readonly views: ProgramViews;
  readonly limits: RunLimits;
}

export interface DetectedSandbox {
  /** null: programs run as plain child processes. */
  readonly sandbox: Sandbox | null;
  /** null: they run as the service's own user. */
  readonly users: UserRange | null;
  readonly separation: Separation;
  /** Starts programs outside of a sandbox without what they would inherit; null: it cannot. */
  readonly detach: Detach | null;
}

/** Finds out how far this machine can isolate agents, by running a system program. */
export const detectSandbox = async (facts: SandboxFacts): Promise<DetectedSandbox> => {
  const asRoot = process.getuid?.() === 0;
  const detach = process.platform === "linux" ? detached(onPath("perl")) : null;
  if (facts.mode === "off") {
    const gaps = ["SERVICE_SANDBOX is off: agents' programs are plain children of the service."];
    if (facts.configuredUsers === null)
      gaps.push("They run as the service's own user and can read its keys.");
    if (detach === null) gaps.push(inherited);
    return {
      sandbox: null,
      detach,
      users: facts.configuredUsers,
      separation: { level: facts.configuredUsers === null ? "not" : "partly", gaps },
    };
  }
  if (process.platform !== "linux")
    return {
      sandbox: null,
      detach,
      users: facts.configuredUsers,
      separation: { level: "not", gaps: [onLinuxOnly] },
    };
  const gaps: string[] = [];
  const users = usersFor(facts, asRoot, gaps);
  const sandbox = await namespaces(facts, asRoot, users, gaps);
  // Without mount namespaces, a user that cannot enter the data directory could not work.
  const usable = sandbox !== null || facts.configuredUsers !== null || mayWalkTo(facts.dataDir);
  if (!usable)
    gaps.push(
      `Folders above ${facts.dataDir} are closed to other users, so that agents run as the service's own. Install bubblewrap, or move the data directory (SERVICE_DATA_DIR).`,
    );
  const chosen = usable ? users : null;
  if (sandbox === null && detach === null) gaps.push(inherited);
  return {
    sandbox,
    detach,
    users: chosen,
    separation: {
      level: sandbox === null && chosen === null ? "not" : gaps.length === 0 ? "separated" : "partly",
      gaps,
    },
  };
};

const onLinuxOnly =
  "Agents are separated on Linux only. Run the service there, or agents that you do not trust on a runner of containers or pods.";

const usersFor = (facts: SandboxFacts, asRoot: boolean, gaps: string[]): UserRange | null => {
  if (facts.configuredUsers !== null) {
    if (facts.configuredUsers.first === facts.configuredUsers.last)
      gaps.push("SERVICE_AGENT_UID is one user: companies share it. Give it a range.");
    return facts.configuredUsers;
  }
  if (!asRoot) {
    gaps.push(
      "The service is not root: agents of all companies run as its user. Start it as root to give each company a user of its own.",
    );
    return null;
  }
  const accounts = accountsOfMachine();
  const isFree = ({ first, last }: UserRange) =>
    !accounts.some(({ from, to }) => from <= last && to >= first);
  const free = defaultUsers.find(isFree);
  if (free !== undefined) return free;
  gaps.push(
    "The machine has users of its own in each thousand from 51000 to 60999: agents of all companies run as the service's user. Set SERVICE_AGENT_UID to a free range.",
  );
  return null;
};

/** The users and groups that have an entry on this machine. */
const accountsOfMachine = (): readonly { readonly from: number; readonly to: number }[] =>
  ["/etc/passwd", "/etc/group", "/etc/subuid", "/etc/subgid"].flatMap((file) =>
    readText(file)
      .split("\n")
      .flatMap((line) => {
        const [, second = "", third = ""] = line.split(":");
        // A line of subuid is name, first, count; the other files have the number in the third field.
        const isRange = file.includes("/sub");
        const from = Number(isRange ? second : third);
        const to = isRange ? from + Number(third) - 1 : from;
        return Number.isInteger(from) && from > 0 ? [{ from, to }] : [];
      }),
  );

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
};

const namespaces = async (
  { dataDir, views, limits }: SandboxFacts,
  asRoot: boolean,
  users: UserRange | null,
  gaps: string[],
): Promise<Sandbox | null> => {
  const found = {
    bwrap: onPath("bwrap"),
    setpriv: onPath("setpriv"),
    prlimit: onPath("prlimit"),
    stat: onPath("stat"),
  };
  const missing = Object.entries(found).filter(([, path]) => path === null);
  if (missing.length > 0) {
    gaps.push(
      `${missing.map(([name]) => name).join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed: agents see the file system and the processes of the machine. Install bubblewrap (apt-get install bubblewrap).`,
    );
    return null;
  }
  const confinement = await confinementHere();
  const sandbox = bubblewrap({
    tools: { ...(found as Omit<SandboxTools, "confinement">), confinement },
    asRoot,
    dataDir,
    limits: { ...withinOurs(limits), tmpBytes: (await limitsTmp(found.bwrap)) ? limits.tmpBytes : null },
  });
  const user = users === null ? null : { uid: users.first, gid: users.gid };
  const trial = { command: "/bin/sh", cwd: "/usr", env: { PATH: "/usr/bin:/bin" } };
  const files = join(dataDir, "agent-skills", "trial");
  const nobodys = { companyId: null, agentId: null, own: [], granted: [], files };
  const view = views.viewOf({ ...trial, workspace: { ...trial, ...nobodys, user }, reads: [] });
  if (view instanceof ViewRefused) throw new Error(view.message);
  const { command, args, env } = sandbox.enclose({ ...trial, args: ["-c", "exit 0"], user, view });
  try {
    await promisify(execFile)(command, args, { env, timeout: 10_000 });
    if (confinement?.scopes !== true)
      gaps.push(
        "Agents reach the abstract sockets of other programs. Linux 6.12 or later with Landlock, and Perl, prevent that.",
      );
    if (confinement === null || !isKnownProcessor) gaps.push(inherited);
    else if (!confinement.filter)
      gaps.push(
        "Agents may use io_uring, userfaultfd and the keyrings of their user, because the kernel takes no seccomp filter.",
      );
    return sandbox;
  } catch (error) {
    const message = String((error as { stderr?: unknown }).stderr ?? "").trim() || String(error);
    gaps.push(
      `bubblewrap does not work here (${message.split("\n")[0]}): agents see the file system and the processes of the machine. ${whatHelps()}`,
    );
    return null;
  }
};

/** Whether this bubblewrap can limit the size of a folder in memory (0.7 or later). */
const limitsTmp = async (bwrap: string | null): Promise<boolean> => {
  const { stdout } = await promisify(execFile)(bwrap ?? "bwrap", ["--help"], { timeout: 10_000 }).catch(
    () => ({ stdout: "" }),
  );
  return stdout.includes("--size ");
};

const inherited =
  "Agents of all companies share the session keyring of the process that started the service. Perl prevents that on x64 and arm64: install it (apt-get install perl-base).";

/** The most that Perl and the kernel can do here; null where nothing. */
const confinementHere = async (): Promise<Confinement | null> => {
  const [perl, setpriv] = [onPath("perl"), onPath("setpriv")];
  if (perl === null || setpriv === null) return null;
  for (const [scopes, filter] of [
    [true, true],
    [false, true],
    [true, false],
    [false, false],
  ] as const) {
    const command = ["--no-new-privs", ...confined({ perl, scopes, filter }, null), "/bin/true"];
    const works = await promisify(execFile)(setpriv, command, { timeout: 10_000 }).then(
      () => true,
      () => false,
    );
    if (works) return { perl, scopes, filter: filter && isKnownProcessor };
  }
  return null;
};

/** Caps the limits at those of the service itself. */
const withinOurs = (limits: RunLimits): RunLimits => {
  const text = readText("/proc/self/limits");
  const hard = (name: string) => {
    const found = new RegExp(`^${name} +\\S+ +(\\S+)`, "m").exec(text)?.[1];
    return found === undefined || found === "unlimited" ? Number.POSITIVE_INFINITY : Number(found);
  };
  return {
    processes: limits.processes === null ? null : Math.min(limits.processes, hard("Max processes")),
    openFiles: Math.min(limits.openFiles, hard("Max open files")),
    fileBytes: Math.min(limits.fileBytes, hard("Max file size")),
    tmpBytes: limits.tmpBytes,
  };
};

const whatHelps = (): string =>
  readText("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").trim() === "1"
    ? "AppArmor restricts user namespaces: start the service as root, or allow them for bwrap (man apparmor.d)."
    : readText("/proc/sys/kernel/unprivileged_userns_clone").trim() === "0"
      ? "The kernel allows user namespaces to root only: start the service as root, or set kernel.unprivileged_userns_clone=1."
      : "In a container, give it the rights to make mounts, or run a container for each company.";

/** Searches the system's directories, not the operator's PATH. */
const onPath = (name: string): string | null => {
  for (const folder of ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"]) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // The file is missing.
    }
  }
  return null;
};

/** Whether all users may enter each folder of the path. */
const mayWalkTo = (path: string): boolean => {
  const parts = path.split("/").slice(1, -1);
  return parts.every((_, at) => {
    try {
      return (statSync(`/${parts.slice(0, at + 1).join("/")}`).mode & 0o001) !== 0;
    } catch {
      return true;
    }
  });
};
