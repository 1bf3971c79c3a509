import type {
  ExecuteContext,
  PermissionAnswer,
  PermissionRequest,
  ProgramInput,
} from "../../../ports/agent-adapter.ts";
import { asObject, asObjects, asText, type Json, parseObject } from "../../kit/json.ts";
import { askPeople } from "../../kit/permissions.ts";
import { joinPrompt } from "../../kit/prompt.ts";
import type { Words } from "../../kit/words.ts";
import { limitsOf } from "./app-server-limits.ts";
import { appServerWords } from "./app-server-words.ts";
import type { CodexConfig } from "./configuration.ts";

/** Our end of a conversation with `codex app-server` (JSON-RPC without its version, one message a line; 0.169.0). */
export interface AppServer {
  /** Takes a line of the program's output. */
  hear(line: string): void;
  /** Whether no further turn begins. */
  isOver(): boolean;
}

const requestIds = { initialize: 1, thread: 2, turn: 3, skills: 4 };

/** Changes of files that are kept for requests, which name them only. */
const maxChanges = 200;

/** Opens or resumes a thread, gives the program its prompt, answers what it asks, and ends it after the turn. */
export const appServer = (
  context: Pick<ExecuteContext, "askPermission" | "onLog" | "onLimits" | "onTaken" | "messagesAgain" | "cwd">,
  { policy, model }: Pick<CodexConfig, "policy" | "model">,
  session: string | null,
  /** `skills`: a folder of them, in addition to those that the program knows; null: none. */
  { input, skills }: { readonly input: ProgramInput; readonly skills: string | null },
  prompt: string,
  words: Words | null,
): AppServer => {
  const send = (message: Json) => input.write(`${JSON.stringify(message)}\n`);
  const changes = new Map<string, readonly Json[]>();
  const said = appServerWords(send, words, context.onTaken);
  const again = context.messagesAgain ?? [];
  let isOver = false;
  // The program ends when its input does.
  const end = () => {
    isOver = true;
    input.end();
  };

  const open = () => {
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
            params: { threadId: session, excludeTurns: again.length === 0, ...settings },
          },
    );
  };

  const answered = ({ id, result, error }: Json) => {
    const isRefused = asObject(error) !== null;
    if (said.answered(id, isRefused)) return;
    if (isRefused) return end();
    if (id === requestIds.initialize) {
      send({ method: "initialized" });
      if (skills === null) open();
      else send({ id: requestIds.skills, method: "skills/extraRoots/set", params: { extraRoots: [skills] } });
    }
    if (id === requestIds.skills) open();
    if (id !== requestIds.thread) return;
    const thread = asObject(asObject(result)?.thread);
    const threadId = asText(thread?.id);
    const known = textsOfPeople(thread);
    const missing = again.filter(({ text }) => !known.some((one) => one.includes(text)));
    const text = joinPrompt(prompt, ...missing.map((message) => message.text));
    said.begin(threadId);
    send({
      id: requestIds.turn,
      method: "turn/start",
      params: { threadId, input: [{ type: "text", text }] },
    });
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
    params: {
      clientInfo: { name: "boardroom", title: "Boardroom", version: "1" },
      // Folders of skills.
      ...(skills === null ? {} : { capabilities: { experimentalApi: true } }),
    },
  });
  return {
    isOver: () => isOver,
    hear: (line) => {
      const message = parseObject(line);
      if (message === null) return;
      const { id, method } = message;
      const params = asObject(message.params) ?? {};
      if (typeof method !== "string") return answered(message);
      if (id !== undefined) return void permit(id, method, params);
      const item = asObject(params.item);
      if (item?.type === "fileChange" && method === "item/started") {
        changes.set(asText(item.id), asObjects(item.changes));
        const [oldest] = changes.keys();
        if (changes.size > maxChanges && oldest !== undefined) changes.delete(oldest);
      }
      if (item?.type === "fileChange" && method === "item/completed") changes.delete(asText(item.id));
      if (item?.type === "userMessage") said.taken(asText(item.clientId));
      if (method === "account/rateLimits/updated")
        void context.onLimits?.({ windows: limitsOf(asObject(params.rateLimits) ?? {}) }).catch(() => {});
      if (method === "turn/started") said.turnStarted(asText(asObject(params.turn)?.id));
      if (method === "turn/completed" && !said.turnEnded(asObject(params.turn)?.status === "completed"))
        end();
    },
  };
};

/** The texts of people in the turns of a resumed thread. */
const textsOfPeople = (thread: Json | null): readonly string[] =>
  asObjects(thread?.turns)
    .flatMap(({ items }) => asObjects(items))
    .filter(({ type }) => type === "userMessage")
    .map(({ content }) =>
      asObjects(content)
        .map(({ text }) => asText(text))
        .join("\n"),
    );

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
