import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { CommonOptions } from "../connection/session.ts";
import { CommandFailed, UsageError } from "../failure.ts";
import type { Terminal } from "../terminal.ts";

/** `boardroom adapters new <name>`: a complete adapter package that needs nothing installed and nothing built. */
export const addNewAdapter = (adapters: Command, terminal: Terminal): void => {
  adapters
    .command("new")
    .argument("<name>", "kebab-case name of the package; its folder is created here")
    .summary("Create an adapter package of your own")
    .description(
      "Write a small, complete adapter package into a new folder: an adapter that runs a program, such a program, and a UI parser. Nothing has to be installed or built; install it by its path and change it as you like.",
    )
    .addHelpText(
      "after",
      "\nExample:\n  boardroom adapters new lighthouse\n  boardroom adapters install --local-path lighthouse\n  boardroom adapters check lighthouse    # whether it keeps the contract\n  boardroom adapters reload lighthouse   # after each change",
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 80)
        throw new UsageError(`${name} is not a kebab-case name such as my-adapter.`);
      const folder = resolve(name);
      const { mkdir, writeFile } = await import("node:fs/promises");
      const isNew = await mkdir(folder).then(
        () => true,
        () => false,
      );
      if (!isNew) throw new CommandFailed(`${folder} already exists or can't be created.`);
      for (const [file, text] of Object.entries(adapterFiles(name)))
        await writeFile(join(folder, file), text);
      if (command.optsWithGlobals<CommonOptions>().json) {
        terminal.out(`${JSON.stringify({ folder, type: typeOf(name) }, null, 2)}\n`);
        return;
      }
      terminal.out(
        [
          `Made ${folder}.\n`,
          `Check it:     boardroom adapters check ${name}`,
          `Install it:   boardroom adapters install --local-path ${name}`,
          `Use it:       boardroom agents create --name Keeper --adapter-type ${typeOf(name)}`,
          `After a change: boardroom adapters reload ${typeOf(name)}\n`,
        ].join("\n"),
      );
    });
};

const typeOf = (name: string): string => name.replaceAll("-", "_");

export const adapterFiles = (name: string): Readonly<Record<string, string>> => ({
  "package.json": `${JSON.stringify(
    {
      name,
      version: "0.1.0",
      type: "module",
      exports: {
        ".": "./index.js",
        "./server": "./index.js",
        "./ui-parser": "./ui-parser.cjs",
        "./package.json": "./package.json",
      },
      files: ["index.js", "agent.js", "ui-parser.cjs"],
      boardroom: { uiParser: "1.0.0" },
    },
    null,
    2,
  )}\n`,
  "index.js": `import { fileURLToPath } from "node:url";

export const type = "${typeOf(name)}";
export const label = "${name}";
export const models = [];
export const agentConfigurationDoc = \`# ${typeOf(name)}

| key | | default |
|---|---|---|
| command | the program; it reads its task on standard input | node, with agent.js of this package |
| args | list of texts | [] |
| timeoutSec | the program is ended after this time | 300 |
\`;

// The service refuses other values when they are set, and the page's form offers these keys.
const configSchema = {
  type: "object",
  properties: {
    command: { type: "string", title: "Command", description: "Empty: node, with agent.js of this package." },
    args: { type: "array", items: { type: "string" }, title: "Arguments" },
    timeoutSec: { type: "number", exclusiveMinimum: 0, default: 300, title: "Time limit in seconds" },
  },
};

const ownAgent = fileURLToPath(new URL("agent.js", import.meta.url));

// One heartbeat. The service runs the program for us: it logs what the program says, enforces timeout and grace, and ends
// all that the program started. Secrets belong into env, never into the prompt.
const execute = async ({ config, prompt, cwd, runProcess, onMeta, runtime }) => {
  const { command = process.execPath, args = config.command ? [] : [ownAgent], timeoutSec = 300 } = config;
  const runs = (runtime.sessionParams?.runs ?? 0) + 1;
  await onMeta({ command, args, cwd });
  let output = "";
  const outcome = await runProcess({
    command,
    args,
    stdin: prompt,
    timeoutSec,
    graceSec: 10,
    onStdoutLine: (line) => {
      output = line.trim() || output;
    },
  });
  const { exitCode, signal, timedOut, startError } = outcome;
  const errorMessage =
    startError ?? (timedOut ? "It took too long." : exitCode !== 0 ? \`It ended with \${signal ?? exitCode}.\` : undefined);
  return { exitCode, signal, timedOut, errorMessage, summary: output, sessionParams: { runs } };
};

const testEnvironment = async ({ adapterType, config }) => {
  const isText = config.command === undefined || typeof config.command === "string";
  return {
    adapterType,
    status: isText ? "pass" : "fail",
    checks: isText
      ? [{ level: "info", code: "command_valid", message: "The command is a text." }]
      : [{ level: "error", code: "command_invalid", message: "command must be a text.", hint: "Leave it out for agent.js." }],
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
`,
  "agent.js": `// The work of an agent in one heartbeat. Any program in any language will do: it finds who it is, its task and a token that
// lives as long as this run in its environment, its prompt on standard input, and calls the service.
const { SERVICE_API_URL, SERVICE_API_KEY, SERVICE_TASK_ID } = process.env;

const call = async (method, path, body) => {
  const answer = await fetch(SERVICE_API_URL + path, {
    method,
    headers: { authorization: "Bearer " + SERVICE_API_KEY, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(method + " " + path + ": " + (await answer.text()));
  return answer.json();
};

if (SERVICE_API_URL && SERVICE_TASK_ID) {
  const issue = await call("GET", "/api/issues/" + SERVICE_TASK_ID);
  console.log("Working on " + issue.identifier + ": " + issue.title);
  // Here a real agent would ask a model, with its prompt.
  await call("POST", "/api/issues/" + issue.id + "/comments", { body: "The lamp is lit." });
  await call("PATCH", "/api/issues/" + issue.id, { status: "done" });
  console.log("Done.");
} else console.log("There is nothing to do.");
`,
  "ui-parser.cjs": `// Runs in a sandbox without access to anything. What an agent says is not to be trusted: show it, never evaluate it.
module.exports.parseStdoutLine = (line, ts) =>
  line.trim() === "" ? [] : [{ kind: "assistant", ts, text: line }];
`,
});
