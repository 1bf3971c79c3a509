import { randomUUID } from "node:crypto";
import type { ExecuteContext, ProgramInput } from "../../../ports/agent-adapter.ts";
import { asObject, asText, type Json, parseObject } from "../../kit/json.ts";
import { askPeople, commandIn, diffIn, pathIn } from "../../kit/permissions.ts";

/** Our end of the program's control protocol: what it asks on its output is answered on its input. */
export interface Control {
  /** Takes a line of the program's output. */
  hear(line: string): void;
}

/** Gives the program its prompt, and answers what it asks about tools. */
export const control = (
  context: Pick<ExecuteContext, "askPermission" | "onLog">,
  input: ProgramInput,
  prompt: string,
): Control => {
  const send = (message: Json) => input.write(`${JSON.stringify(message)}\n`);
  send({
    type: "user",
    message: { role: "user", content: [{ type: "text", text: prompt }] },
    parent_tool_use_id: null,
    session_id: "",
    uuid: randomUUID(),
  });
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
    hear: (line) => {
      const event = parseObject(line);
      // It ends when its input does.
      if (event?.type === "result") input.end();
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
