type Environment = Readonly<Record<string, string>>;

/**
 * Adds to an agent's environment what git needs in an issue's workspace: the run's token for the service, which is therefore in
 * no file. The agent's own settings stay.
 */
export const withGit = (
  env: Environment,
  of: {
    readonly apiUrl: string;
    readonly token: string;
  } | null,
): Environment => {
  if (of === null) return env;
  const { apiUrl, token } = of;
  const count = /^\d{1,3}$/.test(env.GIT_CONFIG_COUNT ?? "") ? Number(env.GIT_CONFIG_COUNT) : 0;
  return {
    GIT_TERMINAL_PROMPT: "0",
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: `http.${apiUrl}/git/.extraHeader`,
    [`GIT_CONFIG_VALUE_${count}`]: `Authorization: Bearer ${token}`,
  };
};
