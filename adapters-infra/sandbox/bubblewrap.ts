import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, sep } from "node:path";
import type { EnclosedProgram, RunLimits, Sandbox } from "../../ports/sandbox.ts";
import { scoped } from "./landlock.ts";

/** The programs that isolate a run; all absolute paths. */
export interface SandboxTools {
  readonly bwrap: string;
  readonly setpriv: string;
  readonly prlimit: string;
  /** null: the kernel has no scopes of Landlock, or Perl is missing. */
  readonly perl: string | null;
}

export interface BubblewrapOptions {
  readonly tools: SandboxTools;
  /** The service is root and sets up mounts before the program drops root. */
  readonly asRoot: boolean;
  /** The service's data directory: a program sees only the parts named here. */
  readonly dataDir: string;
  /** Files and folders that every program may read. */
  readonly reads: readonly string[];
  readonly limits: RunLimits;
}

/** The system. A link of this machine (`/bin` to `usr/bin`) is a link inside, too. */
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store"];

/** Variables that name a program's own folder. */
const homeVariable = /(?:^|_)(?:HOME|CONFIG_DIR)$/;

/**
 * Runs programs below bubblewrap, in their own mount, process and IPC namespaces: they see the system read-only, their
 * working directory, their home, a private `/tmp`, and only the processes they start. As root it sets up mounts before
 * the program changes to its user, so that parent folders may stay closed to that user; otherwise it uses a user
 * namespace.
 */
export const bubblewrap = ({ tools, asRoot, dataDir, reads, limits }: BubblewrapOptions): Sandbox => ({
  wrapper: tools.bwrap,
  enclose: (program) => {
    const view = new View(limits.tmpBytes);
    for (const path of system) view.system(path);
    view.dns();
    const readable = [...reads, ...program.reads, ...toolPaths(program)];
    const writable = [...homesOf(program), program.cwd].filter((path) => path !== "/");
    const isInside = (path: string) => path.startsWith(`${dataDir}${sep}`);
    for (const path of readable) if (!isInside(path)) view.readOnly(path);
    for (const path of writable) if (!isInside(path)) view.writable(path);
    // Shows only the named parts of the service's data, even where a parent folder is shown.
    view.hide(dataDir);
    for (const path of readable) if (isInside(path)) view.readOnly(path);
    for (const path of writable) if (isInside(path)) view.writable(path);
    return {
      command: tools.bwrap,
      args: [
        ...view.args,
        "--unshare-pid",
        "--unshare-ipc",
        // Signals to the wrapper's group do not reach the program, which keeps its grace period.
        "--new-session",
        "--chdir",
        program.cwd,
        "--",
        ...(tools.perl === null ? [] : scoped(tools.perl)),
        ...limited(tools, limits),
        ...(asRoot && program.user !== null ? becoming(tools, program.user) : []),
        program.command,
        ...program.args,
      ],
      // The machine's temporary folder is not visible.
      env: { ...program.env, ...(program.env.TMPDIR === undefined ? {} : { TMPDIR: "/tmp" }) },
    };
  },
});

const limited = ({ prlimit }: SandboxTools, { processes, openFiles, fileBytes }: RunLimits) => [
  prlimit,
  ...(processes === null ? [] : [`--nproc=${processes}`]),
  `--nofile=${openFiles}`,
  `--fsize=${fileBytes}`,
  "--core=0",
  "--",
];

const becoming = ({ setpriv }: SandboxTools, { uid, gid }: { uid: number; gid: number }) => [
  setpriv,
  `--reuid=${uid}`,
  `--regid=${gid}`,
  "--clear-groups",
  "--inh-caps=-all",
  "--bounding-set=-all",
  "--no-new-privs",
  "--",
];

const homesOf = ({ env }: EnclosedProgram): readonly string[] =>
  Object.entries(env)
    .filter(([name, value]) => homeVariable.test(name) && isAbsolute(value))
    .map(([, value]) => value);

/** The command with its package, the folders of PATH, and the Node that runs the service. */
const toolPaths = ({ command, env }: EnclosedProgram): readonly string[] => [
  ...(env.PATH ?? "").split(":").filter((path) => isAbsolute(path) && path !== "/"),
  ...executable(command),
  ...executable(process.execPath),
];

const executable = (path: string): readonly string[] => {
  const real = existsSync(path) ? realpathSync(path) : path;
  return [path, packageOf(real) ?? real];
};

/** The outermost `node_modules` above a file: packages find each other there. */
const packageOf = (path: string): string | null => {
  const at = path.indexOf(`${sep}node_modules${sep}`);
  return at < 0 ? null : path.slice(0, at + `${sep}node_modules`.length);
};

/** Builds a program's view of the file system as arguments of bubblewrap. */
class View {
  readonly args: string[] = [
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run", "--perms", "0755", "--dir", "/var"],
  ];
  readonly #made = new Set(["/", "/tmp", "/run", "/var", "/var/tmp"]);
  readonly #shown = new Set<string>();
  #hidden: string | null = null;

  constructor(tmpBytes: number | null) {
    const size = tmpBytes === null ? [] : ["--size", `${tmpBytes}`];
    for (const folder of ["/tmp", "/var/tmp"]) this.args.push("--perms", "1777", ...size, "--tmpfs", folder);
  }

  system(path: string): void {
    const real = existing(path);
    if (real === null) return;
    if (real !== path && !path.slice(1).includes("/")) {
      this.args.push("--symlink", real.slice(1), path);
      this.#shown.add(path);
    } else this.readOnly(path);
  }

  /** Many machines list name servers below `/run`. */
  dns(): void {
    const real = existing("/etc/resolv.conf");
    if (real !== null && !real.startsWith("/etc/")) this.readOnly(real);
  }

  readOnly(path: string): void {
    this.#bind("--ro-bind", path);
  }

  writable(path: string): void {
    this.#bind("--bind", path);
  }

  /** Mounts an empty folder over a visible one. */
  hide(folder: string): void {
    if (existing(folder) === null || !this.#isShown(folder)) return;
    this.args.push("--perms", "0755", "--tmpfs", folder);
    this.#hidden = folder;
  }

  #bind(how: "--bind" | "--ro-bind", path: string): void {
    if (existing(path) === null) return;
    if (how === "--ro-bind" && this.#isShown(path)) return;
    this.#makeWay(dirname(path));
    this.args.push(how, path, path);
    this.#shown.add(path);
    if (statSync(path).isDirectory()) this.#made.add(path);
  }

  #isShown(path: string): boolean {
    for (let at = path; ; at = dirname(at)) {
      if (this.#shown.has(at)) return true;
      if (at === this.#hidden || at === dirname(at)) return false;
    }
  }

  /** Bubblewrap would create parent folders that only root can enter. */
  #makeWay(folder: string): void {
    if (folder === this.#hidden || this.#made.has(folder) || this.#isShown(folder)) return;
    this.#makeWay(dirname(folder));
    this.args.push("--perms", "0755", "--dir", folder);
    this.#made.add(folder);
  }
}

const existing = (path: string): string | null => {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
};
