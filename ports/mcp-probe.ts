import type * as Effect from "effect/Effect";
import type * as Redacted from "effect/Redacted";
import type { McpTool } from "../core/model/mcp-servers/mcp-server.ts";
import type { CompanyId } from "../core/model/shared/ids.ts";

/** A server with the values of its headers or variables. */
export type ProbedServer = {
  readonly values: Readonly<Record<string, Redacted.Redacted<string>>>;
} & (
  | { readonly url: string; readonly allowPrivateHost: boolean }
  | { readonly command: string; readonly args: readonly string[] }
);

/** The server did not list its tools; a sentence for people, without the values. */
export class ServerSilent {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Asks servers of the Model Context Protocol. */
export interface McpProbe {
  /**
   * Connects, initialises and lists the tools. A URL is called at its judged address alone, without redirects. A program
   * runs as in a run of the company: in its sandbox, in a temporary folder, and is ended with all that it started. Returns
   * null for a program where the company's programs run on an engine.
   */
  listTools(
    companyId: CompanyId,
    server: ProbedServer,
  ): Effect.Effect<readonly McpTool[] | null, ServerSilent>;
}
