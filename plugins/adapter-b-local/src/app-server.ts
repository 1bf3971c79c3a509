import type {
  ExecuteContext,
  PermissionAnswer,
  PermissionRequest,
  ProgramInput,
} from "../../../ports/agent-adapter.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../../kit/json.ts";
import { askPeople } from "../../kit/permissions.ts";
import type { CodexConfig } from "./configuration.ts";

/** Our end of a conversation with `codex app-server` (JSON-RPC without its version, one message a line; 0.169.0). */
export interface AppServer {
  /** Takes a line of the program's output. */
  hear(line: string): void;
}

const requestIds = { initialize: 1, thread: 2, turn: 3 };

/** Changes of files that are kept for requests, which name them only. */
const maxItems = 200;

/** Opens or resumes a thread, gives the program its prompt, answers what it asks, and ends it after the turn. */
export const appServer = (
  context: Pick<ExecuteContext, "askPermission" | "onLog" | "cwd">,
  { policy, model }: Pick<CodexConfig, "policy" | "model">,
  session: string | null,
  input: ProgramInput,
  prompt: string,
): AppServer => {
  const send = (message: Json) => input.write(`${JSON.stringify(message)}\n`);
  const changes = new Map<string, readonly Json[]>();

  const open = () => {
    send({ method: "initialized" });
    const settings = {
      cwd: context.cwd,
      // The program asks for what its model wants to do outside of its own sandbox; people answer, and no model.
      approvalPolicy: "on-request",
      approvalsReviewer: "user",
      sandbox: "workspace-write",
      ...(model === undefined ? {} : { model }),
    };
    send(
      session === null
        ? { id: requestIds.thread, method: "thread/start", params: settings }
        : {
            id: requestIds.thread,
            method: "thread/resume",
            params: { threadId: session, excludeTurns: true, ...settings },
          },
    );
  };

  const answered = ({ id, result, error }: Json) => {
    if (asObject(error) !== null) return input.end();
    if (id === requestIds.initialize) open();
    if (id !== requestIds.thread) return;
    const threadId = asText(asObject(asObject(result)?.thread)?.id);
    const said = [{ type: "text", text: prompt }];
    send({ id: requestIds.turn, method: "turn/start", params: { threadId, input: said } });
  };

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

  const permit = async (id: unknown, method: string, params: Json): Promise<void> => {
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

  send({
    id: requestIds.initialize,
    method: "initialize",
    params: { clientInfo: { name: "boardroom", title: "Boardroom", version: "1" } },
  });
  return {
    hear: (line) => {
      const message = parseObject(line);
      if (message === null) return;
      const { id, method } = message;
      const params = asObject(message.params) ?? {};
      if (typeof method !== "string") return answered(message);
      if (id !== undefined) return void permit(id, method, params);
      const item = asObject(params.item);
      if (method === "item/started" && item?.type === "fileChange" && changes.size < maxItems)
        changes.set(asText(item.id), asObjects(item.changes));
      // It ends when its input does.
      if (method === "turn/completed") input.end();
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
