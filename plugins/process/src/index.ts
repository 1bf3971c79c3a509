import type { AdapterModel } from "../../../ports/agent-adapter.ts";

export { createServerAdapter } from "./server.ts";

export const type = "process";
export const label = "Process";
/** The program chooses its model. */
export const models: readonly AdapterModel[] = [];
export { agentConfigurationDoc } from "./configuration.ts";
