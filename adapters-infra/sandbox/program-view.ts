import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { isHomeVariable } from "../../core/model/agents/named-paths.ts";
import {
  type ProgramView,
  type ProgramViews,
  type SeenRoot,
  type ViewedProgram,
  ViewRefused,
} from "../../ports/sandbox.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import { classify, isWithin, normalPath, type PathRules, systemFolders } from "./path-rules.ts";

/** How a hidden path becomes visible. */
const howToShow =
  "An instance admin shows it: by setting it in the agent's configuration, or for all agents in SERVICE_AGENT_PATHS.";

export const programViews = (rules: PathRules): ProgramViews => ({
  viewOf: (program) => viewOf(rules, program),
});

/**
 * Decides what a run sees, and refuses one that names anything else. The names of a program add nothing to its view, so
 * that no link of an agent leads a mount: only what settings and instance admins name is looked up, and once.
 */
const viewOf = (rules: PathRules, program: ViewedProgram): ProgramView | ViewRefused => {
  const { workspace, cwd, env, command } = program;
  const view = new View(rules, workspace);
  for (const path of workspace.own) view.show(path, "write");
  for (const path of readsOf(workspace)) view.show(path, "read");
  for (const path of rules.shared) view.show(path, "read");
  for (const { path, real, access } of rules.commands) view.lookUp(path, real, access, false);
  for (const { path, real, access } of [...rules.listed, ...workspace.granted])
    view.lookUp(path, real, access);
  // Those of the service's own environment, which SERVICE_AGENT_ENV_PASSTHROUGH lets through.
  for (const [name, path] of homesIn(workspace.env))
    if (env[name] === path) view.lookUp(normalPath(path, sep), null, "write", false);
  if (command !== "") view.showPackage(command, env.PATH ?? "", cwd);
  for (const [what, path] of namesOf(program)) {
    const at = normalPath(path, cwd);
    if (view.locate(at) !== null) continue;
    const pathClass = classify(rules, at, workspace.own, readsOf(workspace));
    return new ViewRefused(
      pathClass.kind === "never"
        ? `${what} names ${path}, which no agent may see: it ${pathClass.why}.`
        : `${what} names ${path}, which the agent may not see. ${howToShow}`,
    );
  }
  return view;
};

const readsOf = ({ files, reads = [] }: Workspace) => [files, ...reads];

/** Every program has these, with its own processes and devices. */
const ownOfPrograms = ["/proc", "/dev"];

const homesIn = (env: ViewedProgram["env"]) =>
  Object.entries(env).filter(([name, value]) => isHomeVariable(name) && isAbsolute(value));

/** The paths of the machine that the configuration of the agent, or its adapter, names. */
const namesOf = ({ workspace, cwd, env, command, reads }: ViewedProgram) => {
  const folders = env.PATH === workspace.env.PATH ? [] : (env.PATH ?? "").split(":");
  const names: readonly (readonly [what: string, path: string])[] = [
    ["The working directory", cwd],
    ...homesIn(env)
      .filter(([name, value]) => workspace.env[name] !== value)
      .map(([name, value]) => [`The variable ${name}`, value] as const),
    ...folders.filter((folder) => folder !== "").map((folder) => ["The variable PATH", folder] as const),
    ...(command.includes("/") ? [["The command", command] as const] : []),
    ...reads.map((path) => ["The adapter", path] as const),
  ];
  return names;
};

class View implements ProgramView {
  readonly roots: SeenRoot[] = [];
  readonly links: { readonly path: string; readonly to: string }[] = [];
  readonly #rules: PathRules;
  readonly #workspace: Workspace;
  /** Allowed paths that are not there. */
  readonly #missing: string[] = [];
  readonly #located = new Map<string, string | null>();

  constructor(rules: PathRules, workspace: Workspace) {
    this.#rules = rules;
    this.#workspace = workspace;
  }

  /** Shows a path above which nobody but the service writes. */
  show(path: string, access: SeenRoot["access"]): void {
    this.roots.push({ path, access, identity: null });
  }

  /** Shows a path if it leads to `real`; null: wherever it leads. What it leads to is judged, too. */
  lookUp(path: string, real: string | null, access: SeenRoot["access"], isCompared = true): void {
    const found = isCompared ? opened(path) : pathOf(path);
    if (found === null) {
      this.#missing.push(path);
      return;
    }
    if (real !== null && found.path !== real) return;
    const pathClass = this.#classify(found.path);
    if (pathClass.kind === "never") return;
    // The system stays as it is; below it a folder may be for writing.
    const isShown =
      pathClass.kind === "seen" &&
      !pathClass.isListed &&
      (access === "read" || pathClass.access === "write" || pathClass.isRoot);
    if (!isShown) this.roots.push({ path: found.path, identity: found.identity, access });
    if (path !== found.path) this.links.push({ path, to: found.path });
  }

  /** Shows the package of a command that stands as a link where only the operator of the machine puts links. */
  showPackage(command: string, path: string, cwd: string): void {
    const candidates = command.includes("/")
      ? [normalPath(command, cwd)]
      : path
          .split(":")
          .filter((folder) => isAbsolute(folder))
          .map((folder) => normalPath(command, folder));
    for (const candidate of candidates) {
      const granted = this.links.find((link) => link.path === candidate)?.to ?? null;
      const real = granted ?? (this.#isOperators(candidate) ? (pathOf(candidate)?.path ?? null) : null);
      if (real === null) continue;
      const shown = packageOf(real) ?? real;
      const pathClass = this.#classify(shown);
      const isSystem = pathClass.kind === "seen" && !pathClass.isListed;
      if (!isSystem) this.lookUp(shown, shown, "read");
      return;
    }
  }

  /** Passed on as a function. A start asks for the same few paths several times, once all is shown. */
  readonly locate = (path: string): string | null => {
    let located = this.#located.get(path);
    if (located === undefined) {
      located = this.#find(path);
      this.#located.set(path, located);
    }
    return located;
  };

  #find(path: string): string | null {
    let at: string = sep;
    let rest = partsOf(path);
    for (let links = 0; rest.length > 0; ) {
      const [part = "", ...further] = rest;
      const next = join(at, part);
      rest = further;
      const link = this.links.find((each) => each.path === next)?.to ?? null;
      if (link === null && !this.#covers(next)) {
        const whole = join(next, ...rest);
        if (this.#missing.some((missing) => isWithin(whole, missing))) return whole;
        if (!this.#leadsTo(next)) return null;
        at = next;
        continue;
      }
      const target = link ?? targetOf(next);
      if (target === null) {
        at = next;
        continue;
      }
      links += 1;
      if (links > 40) return null;
      rest = [...partsOf(normalPath(target, at)), ...rest];
      at = sep;
    }
    return this.#covers(at) ? at : null;
  }

  /** Passed on as a function. */
  readonly whyHidden = (named: string): string | null => {
    const path = normalPath(named, sep);
    if (ownOfPrograms.some((folder) => isWithin(path, folder)) || this.locate(path) !== null) return null;
    const pathClass = this.#classify(path);
    if (pathClass.kind === "never") return `The sandbox hides ${named}: it ${pathClass.why}.`;
    return pathClass.kind === "elsewhere" && pathClass.isPrivate
      ? `The sandbox hides ${named}: a run has an empty temporary folder of its own. ${howToShow}`
      : `The sandbox hides ${named} from the agent. ${howToShow}`;
  };

  isWritable(path: string): boolean {
    const pathClass = this.#classify(path);
    return (
      (pathClass.kind === "seen" && pathClass.access === "write") ||
      this.roots.some((root) => root.access === "write" && isWithin(path, root.path))
    );
  }

  #classify(path: string) {
    return classify(this.#rules, path, this.#workspace.own, readsOf(this.#workspace));
  }

  /** Whether the path lies in something that is shown. */
  #covers(path: string): boolean {
    const pathClass = this.#classify(path);
    if (pathClass.kind === "seen") return true;
    return pathClass.kind === "elsewhere" && this.roots.some((root) => isWithin(path, root.path));
  }

  /** Whether the path is a folder above something that is shown. */
  #leadsTo(path: string): boolean {
    return (
      [...this.roots, ...this.links].some((each) => isWithin(each.path, path)) ||
      systemFolders.some((folder) => isWithin(folder, path))
    );
  }

  #isOperators(path: string): boolean {
    return this.#classify(path).kind === "seen" && !this.isWritable(path);
  }
}

const partsOf = (path: string): string[] => path.split(sep).filter((part) => part !== "");

const targetOf = (path: string): string | null => {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
};

/** The outermost `node_modules` above a file: packages find each other there. */
export const packageOf = (path: string): string | null => {
  const at = path.indexOf(`${sep}node_modules${sep}`);
  return at < 0 ? null : path.slice(0, at + `${sep}node_modules`.length);
};

/** Resolves a path whose identity is not compared. null where nothing is. */
const pathOf = (path: string): { readonly path: string; readonly identity: null } | null => {
  try {
    return { path: realpathSync.native(path), identity: null };
  } catch {
    return null;
  }
};

/** O_PATH of Linux: a descriptor that needs no right to read. */
const pathOnly = 0o10000000;

/** Resolves a path once: where it leads and what is there come from one descriptor. null where nothing is. */
const opened = (path: string): { readonly path: string; readonly identity: string } | null => {
  let descriptor: number;
  try {
    descriptor = openSync(path, process.platform === "linux" ? pathOnly : constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    const real =
      process.platform === "linux" ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync(path);
    return { path: real, identity: `${dev}:${ino}` };
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
};
