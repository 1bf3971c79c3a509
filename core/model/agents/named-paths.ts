import { refusal } from "../shared/failure.ts";
import { type AdapterConfig, plainVariables } from "./agent-config.ts";

/** A file or a folder of the service's machine. */
export interface HostPath {
  readonly path: string;
  readonly access: "read" | "write";
}

/** A path that an instance admin set in the agent's configuration. */
export interface GrantedPath extends HostPath {
  /** Its target when it was set, with links resolved. A run sees this path, and nothing if it resolves differently by then. */
  readonly real: string;
}

/** A path in an adapterConfig. */
export interface NamedPath extends HostPath {
  /** The field that names it, below `adapterConfig`. */
  readonly at: readonly string[];
  /** Whether a run needs it. Of other texts only an admin's are shown, because they may be no paths at all. */
  readonly isNeeded: boolean;
}

/** Details: `path` of the field. */
export class PathNotAllowed extends refusal(
  "path_not_allowed",
  "unprocessable",
  "The configuration names a path that agents aren't allowed to see.",
) {}

/** Variables that name a program's own folder. */
export const isHomeVariable = (name: string): boolean => /(?:^|_)(?:HOME|CONFIG_DIR)$/.test(name);

/** Returns every path of the service's machine that a configuration names; `./` is the agent's workspace. */
export const namedPaths = (config: AdapterConfig): readonly NamedPath[] => {
  const text = (key: string) => {
    const value = config[key];
    return typeof value === "string" ? value.trim() : "";
  };
  const cwd = text("cwd");
  const fromCwd = (path: string) => (path.startsWith("/") ? path : `${cwd === "" ? "." : cwd}/${path}`);
  const needed = (at: readonly string[], path: string, access: HostPath["access"]): NamedPath => ({
    at,
    path,
    access,
    isNeeded: true,
  });
  const named: NamedPath[] = [];
  if (cwd !== "") named.push(needed(["cwd"], cwd, "write"));
  if (text("command").includes("/")) named.push(needed(["command"], fromCwd(text("command")), "read"));
  if (text("instructionsFilePath") !== "")
    named.push(needed(["instructionsFilePath"], fromCwd(text("instructionsFilePath")), "read"));
  for (const [name, value] of plainVariables(config)) {
    if (isHomeVariable(name) && value.startsWith("/")) named.push(needed(["env", name], value, "write"));
    if (name === "PATH")
      for (const folder of value.split(":"))
        if (folder !== "") named.push(needed(["env", name], fromCwd(folder), "read"));
  }
  for (const key of ["args", "extraArgs"]) {
    const list = Array.isArray(config[key]) ? config[key] : [];
    list.forEach((arg, at) => {
      if (resemblesPath(arg)) named.push(needed([key, `${at}`], arg, "read"));
    });
  }
  for (const [key, value] of Object.entries(config))
    if (!["cwd", "command", "instructionsFilePath"].includes(key) && resemblesPath(value))
      named.push({ at: [key], path: value, access: "read", isNeeded: false });
  return named;
};

/** A text such as `/review` is more likely a command of the program than a folder. */
const resemblesPath = (value: unknown): value is string =>
  typeof value === "string" && /^\/+[^/\s]+\/\S/.test(value);
