// The smallest complete adapter: its agent's program is `cat`, which repeats its input. No package is needed and
// nothing is built. docs/agents-and-adapters.md walks through it.

export const type = "echo";
export const label = "Echo";
export const models = [];
export const agentConfigurationDoc = `# echo

| key | | default |
|---|---|---|
| text | what the agent says | its prompt |
| timeoutSec | the program is ended after this time | 60 |
`;

/** The service refuses other values when they are set. */
const configSchema = {
  type: "object",
  properties: {
    text: { type: "string", title: "Text", description: "What the agent says. Empty: its prompt." },
    timeoutSec: { type: "integer", minimum: 1, default: 60, title: "Time limit in seconds" },
  },
};

/** A sentence for people where the configuration cannot be used; null where it can. */
const wrongIn = ({ text, timeoutSec = 60 }) => {
  if (text !== undefined && typeof text !== "string") return "text must be a text.";
  return Number.isInteger(timeoutSec) && timeoutSec > 0
    ? null
    : "timeoutSec must be a number of seconds above 0.";
};

/** One run. The service logs what the program says, enforces the timeout, and ends all that the program started. */
const execute = async ({ config, prompt, cwd, runtime, runProcess, onMeta }) => {
  const errorMessage = wrongIn(config);
  if (errorMessage !== null)
    return { exitCode: null, timedOut: false, errorMessage, errorCode: "config_invalid" };

  const [command, args] = ["cat", []];
  await onMeta({ command, args, cwd });
  const { exitCode, signal, timedOut, startError } = await runProcess({
    command,
    args,
    // Never on the command line, where every program of the machine can read it.
    stdin: config.text ?? prompt,
    timeoutSec: config.timeoutSec ?? 60,
    graceSec: 5,
  });
  return {
    exitCode,
    signal,
    timedOut,
    // Set, it makes the run a failure whatever the exit code.
    errorMessage: startError,
    summary: exitCode === 0 ? "Repeated its input." : undefined,
    // The next run on this task finds it in `runtime.sessionParams`.
    sessionParams: { runs: (runtime.sessionParams?.runs ?? 0) + 1 },
  };
};

/** Tries a configuration without a run. A check of level "error" makes the report fail. */
const testEnvironment = async ({ adapterType, config }) => {
  const wrong = wrongIn(config);
  return {
    adapterType,
    status: wrong === null ? "pass" : "fail",
    checks: [
      wrong === null
        ? { level: "info", passed: true, code: "config_valid", message: "The configuration can be used." }
        : { level: "error", code: "config_invalid", message: wrong },
    ],
    testedAt: new Date().toISOString(),
  };
};

export const createServerAdapter = () => ({
  type,
  models,
  agentConfigurationDoc,
  configSchema,
  execute,
  testEnvironment,
});
