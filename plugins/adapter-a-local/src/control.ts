import { randomUUID } from "node:crypto";
import type { ExecuteContext, MessageAgain, ProgramInput, Word } from "../../../ports/agent-adapter.ts";
import { asObject, asText, type Json, parseObject } from "../../kit/json.ts";
import type { Messages } from "../../kit/messages.ts";
import { askPeople, commandIn, diffIn, pathIn } from "../../kit/permissions.ts";

/** Our end of the program's control protocol: what it asks on its output is answered on its input. */
export interface Control {
  /** Takes a line of the program's output. */
  receive(line: string): void;
  /** Whether the program gets no more input. */
  isOver(): boolean;
}

/** For how long a program that has said its result may leave a message untaken. */
const unacceptedMs = 10_000;

/** Gives the program its prompt and what people say to it, and answers what it asks about tools. */
export const control = (
  context: Pick<ExecuteContext, "askPermission" | "onLog" | "onTaken">,
  input: ProgramInput,
  { prompt, again }: { readonly prompt: string; readonly again: readonly MessageAgain[] },
  messages: Messages | null,
): Control => {
  const send = (message: Json) => input.write(`${JSON.stringify(message)}\n`);
  /** The program says the line again when it takes it. */
  const say = (text: string, uuid: string) =>
    send({
      type: "user",
      message: { role: "user", content: [{ type: "text", text }] },
      parent_tool_use_id: null,
      session_id: "",
      uuid,
    });
  const unaccepted = new Set<string>();
  let isOver = false;
  let isInterrupted = false;
  const end = () => {
    isOver = true;
    input.end();
  };
  const report = (id: string, how: "queued" | "taken") => void context.onTaken?.(id, how).catch(() => {});
  const receiveMessage = (message: Word) => {
    // The next run gets what comes too late.
    if (isOver || isInterrupted) return;
    if (message.kind === "message") {
      unaccepted.add(message.id);
      say(message.text, message.id);
    } else {
      isInterrupted = true;
      send({ type: "control_request", request_id: randomUUID(), request: { subtype: "interrupt" } });
    }
  };
  /** It takes what is left as a turn of its own, and exits when its input ends. */
  const endOfTurn = () => {
    if (unaccepted.size === 0 || isInterrupted) return end();
    for (const id of unaccepted) report(id, "queued");
    setTimeout(() => {
      if (unaccepted.size > 0) end();
    }, unacceptedMs).unref();
  };
  say(prompt, randomUUID());
  for (const { id, text } of again) say(text, id);
  messages?.to(receiveMessage);
  const answer = (requestId: string, response: Json) =>
    send({ type: "control_response", response: { request_id: requestId, ...response } });
  const permit = async (requestId: string, request: Json) => {
    const toolInput = asObject(request.input) ?? {};
    const title = asText(request.description) || asText(request.tool_name);
    const decision = await askPeople(context.askPermission, requestOf(request, title));
    void context
      .onLog(
        "system",
        `Permission for "${title.replaceAll(/\s+/g, " ")}": ${decision.allow ? "allowed (by a person)." : `refused (ask): ${decision.message}`}\n`,
      )
      .catch(() => {});
    answer(requestId, {
      subtype: "success",
      response: decision.allow
        ? { behavior: "allow", updatedInput: toolInput }
        : { behavior: "deny", message: decision.message },
    });
  };
  return {
    isOver: () => isOver,
    receive: (line) => {
      const event = parseObject(line);
      if (event?.type === "result") endOfTurn();
      if (event?.type === "user" && event.isReplay === true && unaccepted.delete(asText(event.uuid)))
        report(asText(event.uuid), "taken");
      if (event?.type !== "control_request") return;
      const requestId = asText(event.request_id);
      const request = asObject(event.request) ?? {};
      if (request.subtype === "can_use_tool") void permit(requestId, request);
      else answer(requestId, { subtype: "error", error: "It is not offered." });
    },
  };
};

const requestOf = (request: Json, title: string) => {
  const input = asObject(request.input);
  const tool = asText(request.tool_name) || "tool";
  const path = asText(request.blocked_path) || pathIn(input);
  const diff = diffIn(input);
  const command = diff === undefined ? commandIn(input) : undefined;
  const reason = asText(request.decision_reason);
  return {
    tool,
    title,
    ...(command === undefined ? {} : { command }),
    ...(path === undefined ? {} : { path }),
    ...(diff === undefined ? {} : { diff }),
    ...(reason === "" ? {} : { reason }),
  };
};
