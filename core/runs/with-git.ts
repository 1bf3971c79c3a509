import type { Agent } from "../agents/agent.ts";
import { emailOf } from "../repositories/merge.ts";

type Environment = Readonly<Record<string, string>>;

/**
 * Adds to an agent's environment what its git needs in the workspace of an issue: who commits, which the agent's own
 * variables may change, and the run's token for the service, which thereby is in no file. Settings of the agent stay.
 */
export const withGit = (
  env: Environment,
  of: {
    readonly apiUrl: string;
    readonly token: string;
    readonly agent: Pick<Agent, "name" | "urlKey">;
  } | null,
): Environment => {
  if (of === null) return env;
  const { apiUrl, token, agent } = of;
  const count = /^\d{1,3}$/.test(env.GIT_CONFIG_COUNT ?? "") ? Number(env.GIT_CONFIG_COUNT) : 0;
  const email = emailOf(agent.urlKey);
  return {
    GIT_AUTHOR_NAME: agent.name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: agent.name,
    GIT_COMMITTER_EMAIL: email,
    GIT_TERMINAL_PROMPT: "0",
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: `http.${apiUrl}/git/.extraHeader`,
    [`GIT_CONFIG_VALUE_${count}`]: `Authorization: Bearer ${token}`,
  };
};
