import type { AgentCaller, BoardCaller } from "../../core/model/access/caller.ts";

/** The callers of tools: each has a credential. */
export type ToolCaller = AgentCaller | BoardCaller;
