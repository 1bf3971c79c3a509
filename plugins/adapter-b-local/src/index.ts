export { agentConfigurationDoc } from "./configuration.ts";
export { models } from "./models.ts";
export { createServerAdapter } from "./server.ts";

export const type = "adapter_b_local";
export const label = "Codex (local)";
