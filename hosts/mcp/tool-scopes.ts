import { assistantOf, refusalOfScope } from "../../core/model/access/assistant-rights.ts";
import { type AssistantScope, assistantScopes } from "../../core/model/access/assistant-scope.ts";
import { scopeOf } from "../api/endpoint/scope.ts";
import type { Tool } from "./tool.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { tools } from "./tools.ts";

/** The scopes that an assistant needs for a call of a tool: those of the endpoints that it calls. */
export const scopesOf = ({ calls, called }: Tool, args: unknown): readonly AssistantScope[] => {
  const needed = new Set([...calls, ...(called?.(args) ?? [])].map(scopeOf));
  return needed.size === 0 ? ["read"] : assistantScopes.filter((scope) => needed.has(scope));
};

/**
 * The scopes with which a caller could call the tool that a message names, its own included, as a client asks for them; null:
 * it has them already, or the message calls no tool.
 */
export const scopesMissing = (
  caller: ToolCaller,
  message: { readonly method?: unknown; readonly params?: unknown },
): readonly AssistantScope[] | null => {
  const assistant = assistantOf(caller);
  if (assistant === null || message.method !== "tools/call") return null;
  const { name, arguments: args } = (message.params ?? {}) as { name?: unknown; arguments?: unknown };
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) return null;
  const needed = scopesOf(tool, args);
  if (needed.every((scope) => refusalOfScope(caller, scope) === null)) return null;
  return assistantScopes.filter((scope) => needed.includes(scope) || assistant.scopes.includes(scope));
};
