import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, sep } from "node:path";
import type { EnclosedProgram, RunLimits, Sandbox } from "../../ports/sandbox.ts";

/** The programs that keep a run apart; all absolute paths. */
export interface SandboxTools {
  readonly bwrap: string;
  readonly setpriv: string;
  readonly prlimit: string;
}

export interface BubblewrapOptions {
  readonly tools: SandboxTools;
  /** The service is root, and may lay out mounts before the program gives up root. */
  readonly asRoot: boolean;
  /** The service's data directory: nothing in it is shown but what is named here. */
  readonly dataDir: string;
  /** Files and folders that every program may read. */
  readonly reads: readonly string[];
  readonly limits: RunLimits;
}

/** The system itself. What is a link on this machine (`/bin` to `usr/bin`) is one inside. */
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store"];

/** Variables whose value is a folder that the program keeps its own things in. */
const homeVariable = /(?:^|_)(?:HOME|CONFIG_DIR)$/;

/**
 * Runs programs below bubblewrap, in mount, process and IPC namespaces of their own: they see the system read-only,
 * their working directory, their home and a `/tmp` of their own, and no process but those they start. As root the
 * mounts are laid out before the program becomes its user, so that folders above them may stay closed to that user;
 * else a user namespace does it.
 */
export const bubblewrap = ({ tools, asRoot, dataDir, reads, limits }: BubblewrapOptions): Sandbox => ({
  wrapper: tools.bwrap,
  enclose: (program) => {
    const view = new View();
    for (const path of system) view.system(path);
    view.dns();
    const readable = [...reads, ...program.reads, ...toolPaths(program)];
    const writable = [...homesOf(program), program.cwd].filter((path) => path !== "/");
    const isInside = (path: string) => path.startsWith(`${dataDir}${sep}`);
    for (const path of readable) if (!isInside(path)) view.readOnly(path);
    for (const path of writable) if (!isInside(path)) view.writable(path);
    // Of the service's own data only what is named is shown, also where a folder above it is.
    view.hide(dataDir);
    for (const path of readable) if (isInside(path)) view.readOnly(path);
    for (const path of writable) if (isInside(path)) view.writable(path);
    return {
      command: tools.bwrap,
      args: [
        ...view.args,
        "--unshare-pid",
        "--unshare-ipc",
        // Signals to the wrapper's group do not reach the program, which has its grace.
        "--new-session",
        "--chdir",
        program.cwd,
        "--",
        ...limited(tools, limits),
        ...(asRoot && program.user !== null ? becoming(tools, program.user) : []),
        program.command,
        ...program.args,
      ],
      // The machine's temporary folder is not there.
      env: { ...program.env, ...(program.env.TMPDIR === undefined ? {} : { TMPDIR: "/tmp" }) },
    };
  },
});

const limited = ({ prlimit }: SandboxTools, { processes, openFiles, fileBytes }: RunLimits) => [
  prlimit,
  `--nproc=${processes}`,
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

/** The command with the package it is part of, the folders of PATH, and the Node that the service runs on. */
const toolPaths = ({ command, env }: EnclosedProgram): readonly string[] => [
  ...(env.PATH ?? "").split(":").filter((path) => isAbsolute(path) && path !== "/"),
  ...executable(command),
  ...executable(process.execPath),
];

const executable = (path: string): readonly string[] => {
  const real = existsSync(path) ? realpathSync(path) : path;
  return [path, packageOf(real) ?? real];
};

/** The outermost `node_modules` that a file lies in: packages find each other there. */
const packageOf = (path: string): string | null => {
  const at = path.indexOf(`${sep}node_modules${sep}`);
  return at < 0 ? null : path.slice(0, at + `${sep}node_modules`.length);
};

/** What a program sees of the file system, as arguments of bubblewrap. */
class View {
  readonly args: string[] = [
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run", "--perms", "0755", "--dir", "/var"],
    ...["--perms", "1777", "--tmpfs", "/tmp", "--perms", "1777", "--tmpfs", "/var/tmp"],
  ];
  readonly #made = new Set(["/", "/tmp", "/run", "/var", "/var/tmp"]);
  readonly #shown = new Set<string>();
  #hidden: string | null = null;

  system(path: string): void {
    const real = existing(path);
    if (real === null) return;
    if (real !== path && !path.slice(1).includes("/")) {
      this.args.push("--symlink", real.slice(1), path);
      this.#shown.add(path);
    } else this.readOnly(path);
  }

  /** Name servers are written below `/run` on many machines. */
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

  /** Lays an empty folder over one that a bind has shown. */
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

  /** Bubblewrap would make the folders above closed to all but root. */
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
