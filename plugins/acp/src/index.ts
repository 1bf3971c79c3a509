export { agentConfigurationDoc } from "./configuration.ts";
export { models } from "./models.ts";
export { createServerAdapter } from "./server.ts";

export const type = "acp";
export const label = "ACP agent (Agent Client Protocol)";
