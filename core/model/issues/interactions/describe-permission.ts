import type { RequestPermission } from "./payload.ts";

/** The tools of the known programs, in lower case, by what they do. */
const commands = ["execute", "bash", "shell", "command", "terminal", "run_shell_command", "local_shell"];
const changes = ["edit", "write", "multiedit", "notebookedit", "apply_patch", "create", "patch"];
const fetches = ["fetch", "webfetch", "web_fetch"];

type Requested = Pick<RequestPermission, "tool" | "command" | "path" | "diff">;

/** The wish of a program, as the end of a sentence that begins with "wants to": "run a command in /srv/quay". */
export const describePermission = ({ tool, command, path, diff }: Requested): string => {
  const name = tool.toLowerCase();
  const [, server, serverTool] = /^mcp__(.+?)(?:__(.+))?$/.exec(tool) ?? [];
  if (server !== undefined)
    return `use ${serverTool === undefined ? "a tool" : `the tool ${serverTool}`} of the MCP server ${server}`;
  if (commands.includes(name) && command !== null)
    return path === null ? "run a command" : `run a command in ${path}`;
  if (diff !== null || changes.includes(name)) return `change ${path ?? "files"}`;
  if (name === "delete" || name === "move" || name === "read") return `${name} ${path ?? "files"}`;
  if (fetches.includes(name)) return "open a web page";
  return path === null ? `use the tool ${tool}` : `use the tool ${tool} on ${path}`;
};
