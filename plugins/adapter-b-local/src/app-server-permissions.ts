import type { ExecuteContext, PermissionAnswer, PermissionRequest } from "../../../ports/agent-adapter.ts";
import { asObject, asObjects, asText, type Json } from "../../kit/json.ts";
import { askPeople } from "../../kit/permissions.ts";
import type { CodexConfig } from "./configuration.ts";

/** Changes of files that are kept for requests, which name them only. */
const maxChanges = 200;

/** Answers the requests of `codex app-server` for permission, by the policy or by people. */
export interface AppServerPermissions {
  /** Keeps the changes of an item while it may be asked for. */
  recordItem(method: string, item: Json | null): void;
  permit(id: unknown, method: string, params: Json): Promise<void>;
}

export const appServerPermissions = (
  context: Pick<ExecuteContext, "askPermission" | "onLog">,
  policy: CodexConfig["policy"],
  send: (message: Json) => void,
): AppServerPermissions => {
  const changes = new Map<string, readonly Json[]>();

  const decide = async (request: PermissionRequest | null, isEdit: boolean): Promise<boolean> => {
    const title = request?.title ?? "something that it does not name";
    const answer: PermissionAnswer =
      policy === "ask"
        ? request === null
          ? { allow: false, message: "Nobody can see what it is." }
          : await askPeople(context.askPermission, request)
        : policy === "allow_edits" && isEdit
          ? { allow: true }
          : { allow: false, message: `${policy} does not include it.` };
    const by = policy === "ask" ? "by a person" : policy;
    const outcome = answer.allow ? `allowed (${by}).` : `refused (${policy}): ${answer.message}`;
    void context
      .onLog("system", `Permission for "${title.replaceAll(/\s+/g, " ")}": ${outcome}\n`)
      .catch(() => {});
    return answer.allow;
  };

  const permit: AppServerPermissions["permit"] = async (id, method, params) => {
    switch (method) {
      case "item/commandExecution/requestApproval": {
        const isAllowed = await decide(commandRequest(params), false);
        return send({ id, result: { decision: isAllowed ? "accept" : "decline" } });
      }
      case "item/fileChange/requestApproval": {
        const isAllowed = await decide(editRequest(params, changes.get(asText(params.itemId))), true);
        return send({ id, result: { decision: isAllowed ? "accept" : "decline" } });
      }
      case "mcpServer/elicitation/request": {
        const isAllowed = await decide(toolRequest(params), false);
        const answer = isAllowed ? { action: "accept", content: {} } : { action: "decline", content: null };
        return send({ id, result: { ...answer, _meta: null } });
      }
      default:
        return send({ id, error: { code: -32601, message: "It is not offered." } });
    }
  };
  return {
    permit,
    recordItem: (method, item) => {
      if (item?.type !== "fileChange") return;
      if (method === "item/completed") changes.delete(asText(item.id));
      if (method !== "item/started") return;
      changes.set(asText(item.id), asObjects(item.changes));
      const [oldest] = changes.keys();
      if (changes.size > maxChanges && oldest !== undefined) changes.delete(oldest);
    },
  };
};

const reasonOf = ({ reason }: Json) => (asText(reason) === "" ? {} : { reason: asText(reason) });

const commandRequest = (params: Json): PermissionRequest => {
  const { networkApprovalContext: network, kind = "command" } = params;
  const command = asText(params.command);
  const isPlain = command !== "" && asObject(network) === null && kind === "command";
  const { command: _, commandActions, proposedExecpolicyAmendment, availableDecisions, ...rest } = params;
  return {
    tool: "command",
    title: command || "A command",
    command: isPlain ? command : JSON.stringify({ command, ...rest }, null, 2),
    ...(asText(params.cwd) === "" ? {} : { path: asText(params.cwd) }),
    ...reasonOf(params),
  };
};

/** null: it was not said what changes. */
const editRequest = (params: Json, changes: readonly Json[] | undefined): PermissionRequest | null => {
  if (changes === undefined || changes.length === 0) return null;
  const paths = changes.map(({ path }) => asText(path));
  const diffs = changes.map(
    ({ path, kind, diff }) => `${asText(asObject(kind)?.type)} ${asText(path)}\n${asText(diff)}`,
  );
  const root = asText(params.grantRoot);
  return {
    tool: "edit",
    title: `${root === "" ? "Edit" : `Write below ${root} from now on, and edit`} ${paths.join(", ")}`,
    ...(paths[0] === undefined ? {} : { path: paths[0] }),
    diff: diffs.join("\n"),
    ...reasonOf(params),
  };
};

/** null: it asks for more than a yes. */
const toolRequest = (params: Json): PermissionRequest | null => {
  const { mode, message, serverName, _meta } = params;
  const fields = Object.keys(asObject(asObject(params.requestedSchema)?.properties) ?? {});
  if (mode === "url" || fields.length > 0) return null;
  return {
    tool: `mcp__${asText(serverName)}`,
    title: asText(message) || `A tool of ${asText(serverName)}`,
    command: JSON.stringify({ server: serverName, message, ...(_meta as object) }, null, 2),
  };
};
