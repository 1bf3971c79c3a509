import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isLoaderVariable } from "../../core/model/agents/loader-variables.ts";
import type { EnclosedProgram, ProgramView, RunLimits, Sandbox, SeenRoot } from "../../ports/sandbox.ts";
import { asidePrefix, type Confinement, confined, isKnownProcessor, type ProcessLimits } from "./confine.ts";
import { isWithin, systemFolders } from "./path-rules.ts";

/** The programs that isolate a run; all absolute paths. */
export interface SandboxTools {
  readonly bwrap: string;
  readonly setpriv: string;
  readonly prlimit: string;
  readonly stat: string;
  /** null: Perl is missing. */
  readonly confinement: Confinement | null;
}

export interface BubblewrapOptions {
  readonly tools: SandboxTools;
  /** The service is root and sets up mounts before the program drops root. */
  readonly asRoot: boolean;
  /** The service's data directory: a program sees only the parts of its view. */
  readonly dataDir: string;
  readonly limits: RunLimits;
}

/**
 * Runs programs below bubblewrap, in their own mount, process and IPC namespaces: they see the system read-only, their
 * view of the machine, a private `/tmp`, and only the processes they start. As root it sets up mounts before
 * the program changes to its user, so that parent folders may stay closed to that user; otherwise it uses a user
 * namespace.
 */
export const bubblewrap = ({ tools, asRoot, dataDir, limits }: BubblewrapOptions): Sandbox => ({
  wrapper: tools.bwrap,
  enclose: (program) => {
    const { ours, withheld } = isolated(program.env);
    return {
      command: tools.bwrap,
      args: [
        ...(program.network === undefined ? [] : ["--die-with-parent"]),
        ...(program.network === "none" ? ["--unshare-net"] : []),
        ...mountsOf(program.view, dataDir, limits.tmpBytes),
        "--unshare-pid",
        "--unshare-ipc",
        // Signals to the wrapper's group do not reach the program, which keeps its grace period.
        "--new-session",
        "--chdir",
        program.cwd,
        "--",
        ...comparing(tools, program.view.roots),
        ...restricted(tools, { ...limits, addressSpaceBytes: program.addressSpaceBytes }),
        ...(asRoot && program.user !== null ? becoming(tools, program.user) : []),
        ...naming(withheld),
        program.command,
        ...program.args,
      ],
      env: ours,
    };
  },
});

/**
 * The wrappers run before the program has lost its rights, and would load code by such a variable. They get it under
 * another name; the last of them, which is the program's own user, names it back. The value stays in the environment,
 * because command lines can be read by every user of the machine.
 */
const isolated = (env: EnclosedProgram["env"]) => {
  // None of the wrappers is git.
  const isOurs = ([name]: readonly [string, string]) =>
    name === "PATH" || /^GIT_/i.test(name) || !isLoaderVariable(name);
  const all = Object.entries(env);
  // No shell can set another name.
  const withheld = all.filter((each) => !isOurs(each) && /^[A-Za-z_][A-Za-z0-9_]*$/.test(each[0]));
  return {
    ours: {
      ...Object.fromEntries(all.filter(isOurs)),
      ...Object.fromEntries(withheld.map(([name, value]) => [aside(name), value])),
      // The machine's temporary folder is not visible.
      ...(env.TMPDIR === undefined ? {} : { TMPDIR: "/tmp" }),
    },
    withheld: withheld.map(([name]) => name),
  };
};

const aside = (name: string): string => `${asidePrefix}${name}`;

/** A shell cannot set these of its own; `env` holds them for a moment. */
const ownOfShells = new Set(["SHELLOPTS", "BASHOPTS"]);

/** Names the variables back and becomes the program. */
const naming = (withheld: readonly string[]): readonly string[] => {
  if (withheld.length === 0) return [];
  const exported = withheld.filter((name) => !ownOfShells.has(name));
  const passed = withheld.filter((name) => ownOfShells.has(name));
  const script = [
    ...exported.map((name) => `export ${name}="$${aside(name)}"; unset ${aside(name)}`),
    passed.length === 0
      ? 'exec "$@"'
      : `exec /usr/bin/env ${passed.map((name) => `-u ${aside(name)} "${name}=$${aside(name)}"`).join(" ")} "$@"`,
  ].join("\n");
  return ["/bin/sh", "-c", script, "sh"];
};

/**
 * Ends the program unless each mount is what its path led to when the view was decided: bubblewrap mounts by name, and
 * an agent that may write a folder above could have put something else there meanwhile.
 */
const comparing = ({ stat }: SandboxTools, roots: readonly SeenRoot[]): readonly string[] => {
  const compared = roots.filter(({ identity }) => identity !== null);
  if (compared.length === 0) return [];
  const paths = compared.map(({ path }) => quoted(path)).join(" ");
  const expected = compared.map(({ identity }) => identity).join("\n");
  const script = `
if [ "$(${stat} -c %d:%i -- ${paths})" != ${quoted(expected)} ]; then
  echo "A path that the agent may see was replaced while the run started." >&2
  exit 126
fi
exec "$@"`;
  return ["/bin/sh", "-c", script, "sh"];
};

/** A text as a shell takes it literally. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Perl sets the limits by itself where it can: each program more costs milliseconds at every call of git. */
const restricted = ({ confinement, prlimit }: SandboxTools, limits: ProcessLimits): readonly string[] => {
  const { processes, openFiles, fileBytes, addressSpaceBytes } = limits;
  if (confinement !== null && isKnownProcessor) return confined(confinement, limits);
  return [
    ...(confinement === null ? [] : confined(confinement, null)),
    prlimit,
    ...(processes === null ? [] : [`--nproc=${processes}`]),
    ...(addressSpaceBytes === undefined ? [] : [`--as=${addressSpaceBytes}`]),
    `--nofile=${openFiles}`,
    `--fsize=${fileBytes}`,
    "--core=0",
    "--",
  ];
};

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

const mountsOf = (
  { roots, links }: ProgramView,
  dataDir: string,
  tmpBytes: number | null,
): readonly string[] => {
  const mounts = new Mounts(tmpBytes);
  for (const path of systemFolders) mounts.system(path);
  mounts.dns();
  const isOutside = ({ path }: SeenRoot) => !isWithin(path, dataDir);
  const inOrder = [...roots].sort((one, other) => one.path.length - other.path.length);
  for (const root of inOrder.filter(isOutside)) mounts.bind(root);
  // A folder that was shown may hold these.
  mounts.coverTemporary();
  mounts.hide(dataDir);
  for (const root of inOrder.filter((each) => !isOutside(each))) mounts.bind(root);
  for (const { path, to } of links) mounts.link(path, to);
  return mounts.args;
};

/** Builds a program's view of the file system as arguments of bubblewrap. */
class Mounts {
  readonly args: string[] = [
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run", "--perms", "0755", "--dir", "/var"],
  ];
  readonly #temporary: readonly string[];
  readonly #made = new Set(["/", "/tmp", "/run", "/var", "/var/tmp"]);
  readonly #shown = new Map<string, SeenRoot["access"]>();
  #hidden: string | null = null;

  constructor(tmpBytes: number | null) {
    this.#temporary = ["--perms", "1777", ...(tmpBytes === null ? [] : ["--size", `${tmpBytes}`]), "--tmpfs"];
    for (const folder of ["/tmp", "/var/tmp"]) this.args.push(...this.#temporary, folder);
  }

  system(path: string): void {
    const real = existing(path);
    if (real === null) return;
    if (real !== path && !path.slice(1).includes("/")) {
      this.args.push("--symlink", real.slice(1), path);
      this.#shown.set(path, "read");
    } else this.bind({ path, access: "read" });
  }

  /** Many machines list name servers below `/run`. */
  dns(): void {
    const real = existing("/etc/resolv.conf");
    if (real !== null && !real.startsWith("/etc/")) this.bind({ path: real, access: "read" });
  }

  bind({ path, access }: Pick<SeenRoot, "path" | "access">): void {
    if (!existsSync(path)) return;
    const shown = this.#shownAs(path);
    if (shown === "write" || shown === access) return;
    this.#makeWay(dirname(path));
    this.args.push(access === "write" ? "--bind" : "--ro-bind", path, path);
    this.#shown.set(path, access);
    if (statSync(path).isDirectory()) this.#made.add(path);
  }

  coverTemporary(): void {
    for (const folder of ["/tmp", "/var/tmp"])
      if (this.#shownAs(folder) !== null) this.args.push(...this.#temporary, folder);
  }

  /**
   * Mounts an empty folder over a visible one. The folders above it become mounts, too: a program could otherwise move
   * one of them away, and the next run would see what is in it.
   */
  hide(folder: string): void {
    const shown = this.#shownAs(folder);
    if (!existsSync(folder) || shown === null) return;
    if (shown === "write")
      for (const above of foldersAbove(folder))
        if (this.#shownAs(above) === "write" && !this.#shown.has(above))
          this.args.push("--bind", above, above);
    this.args.push("--perms", "0755", "--tmpfs", folder);
    this.#hidden = folder;
  }

  link(path: string, to: string): void {
    if (this.#shownAs(path) !== null || this.#made.has(path)) return;
    this.#makeWay(dirname(path));
    this.args.push("--symlink", to, path);
    this.#shown.set(path, "read");
  }

  #shownAs(path: string): SeenRoot["access"] | null {
    for (let at = path; ; at = dirname(at)) {
      const access = this.#shown.get(at);
      if (access !== undefined) return access;
      if (at === this.#hidden || at === dirname(at)) return null;
    }
  }

  /** Bubblewrap would create parent folders that only root can enter. */
  #makeWay(folder: string): void {
    if (folder === this.#hidden || this.#made.has(folder) || this.#shownAs(folder) !== null) return;
    this.#makeWay(dirname(folder));
    this.args.push("--perms", "0755", "--dir", folder);
    this.#made.add(folder);
  }
}

/** From the outermost on. */
const foldersAbove = (path: string): readonly string[] => {
  const above: string[] = [];
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) above.unshift(at);
  return above;
};

const existing = (path: string): string | null => {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
};
