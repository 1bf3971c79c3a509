import { refusalOfScope } from "../../core/model/access/assistant-rights.ts";
import { mayCall } from "../api/endpoint/access.ts";
import { scopeOf } from "../api/endpoint/scope.ts";
import { issueTools } from "./issue-tools.ts";
import { operationTools } from "./operation-tools.ts";
import { recordTools } from "./record-tools.ts";
import type { Tool } from "./tool.ts";
import type { ToolCaller } from "./tool-caller.ts";

/** Every tool, in the order in which work uses them. */
export const tools: readonly Tool[] = [...issueTools, ...recordTools, ...operationTools];

/** The tools that a caller may call. */
export const toolsOf = (caller: ToolCaller): readonly Tool[] =>
  tools.filter(
    ({ calls, only }) =>
      (only === undefined || only === caller.kind) &&
      calls.every(
        (endpoint) => mayCall(endpoint.access, caller) && refusalOfScope(caller, scopeOf(endpoint)) === null,
      ),
  );
