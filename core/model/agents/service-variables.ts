/** Whether only the service sets the variable for an agent's program: neither agents, adapters nor operators change it. */
export const isServiceVariable = (name: string): boolean =>
  name.startsWith("SERVICE_") || name === "AGENT_HOME";
