import type { AdapterModel } from "../../../ports/agent-adapter.ts";

export { createServerAdapter } from "./server.ts";

export const type = "http";
export const label = "HTTP";
/** The called service chooses its model. */
export const models: readonly AdapterModel[] = [];
export { agentConfigurationDoc } from "./configuration.ts";
