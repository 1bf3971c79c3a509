import type { Client } from "../library/client.ts";
import type { CallOptions } from "../library/send.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { ToolRefused } from "./tool-refused.ts";

/** One call of a tool: who makes it, and the interface as that caller sees it. */
export interface Session {
  readonly caller: ToolCaller;
  readonly client: Client;
  readonly options: CallOptions;
  /** The id of the issue, or identifier, that is meant; default: the issue of the caller's run. */
  issue(named: string | undefined): Promise<string>;
  /** The company that is meant: an agent's own, the one that the call names, or a person's only one. */
  company(named?: string): Promise<string>;
}

export const openSession = (caller: ToolCaller, client: Client, options: CallOptions): Session => ({
  caller,
  client,
  options,
  issue: async (named) => {
    if (named !== undefined && named !== "") return named;
    const runId = caller.kind === "agent" ? caller.runId : null;
    const run = runId === null ? null : await client.runs.get({ runId }, options);
    if (run?.issueId) return run.issueId;
    throw new ToolRefused(
      "validation_error",
      "issueId: is required, because this call belongs to no run with a task.",
    );
  },
  company: async (named) => {
    if (caller.kind === "agent") return caller.companyId;
    if (named !== undefined && named !== "") return named;
    const companies = await client.companies.list({}, options);
    if (companies.length === 1) return companies[0]!.id;
    const list = companies.slice(0, 20).map(({ id, name }) => `${name} (${id})`);
    throw new ToolRefused(
      "validation_error",
      `companyId: is required; you have ${list.join(", ") || "none"}.`,
    );
  },
});
