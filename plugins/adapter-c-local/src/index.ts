export { agentConfigurationDoc } from "./configuration.ts";
export { models } from "./models.ts";
export { createServerAdapter } from "./server.ts";

export const type = "adapter_c_local";
export const label = "OpenCode (local)";
