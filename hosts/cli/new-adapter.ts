import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { ExitWith } from "./exit-with.ts";
import type { Terminal } from "./terminal.ts";

/** `boardroom adapters new <name>`: a complete adapter package that needs nothing installed and nothing built. */
export const addNewAdapter = (adapters: Command, terminal: Terminal): void => {
  adapters
    .command("new")
    .argument("<name>", "kebab-case name of the package; its folder is made here")
    .summary("Begin an adapter package of your own")
    .description(
      "Write a small, complete adapter package into a new folder: an adapter that runs a program, and its UI parser. Nothing has to be installed or built; install it by its path and change it as you like.",
    )
    .addHelpText(
      "after",
      '\nExample:\n  boardroom adapters new lighthouse\n  boardroom adapters install --local-path "$PWD/lighthouse"\n  boardroom adapters reload lighthouse       after each change',
    )
    .action(async (name: string) => {
      if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 80) {
        terminal.err(`${name} is no kebab-case name, such as my-adapter.\n`);
        throw new ExitWith(2);
      }
      const folder = resolve(name);
      const isNew = await mkdir(folder).then(
        () => true,
        () => false,
      );
      if (!isNew) {
        terminal.err(`${folder} cannot be made, or is there already.\n`);
        throw new ExitWith(1);
      }
      for (const [file, text] of Object.entries(adapterFiles(name)))
        await writeFile(join(folder, file), text);
      terminal.out(
        `Made ${folder}.\n\nInstall it:   boardroom adapters install --local-path "${folder}"\nUse it:       an agent with adapterType ${typeOf(name)}\n`,
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
      files: ["index.js", "ui-parser.cjs"],
      boardroom: { uiParser: "1.0.0" },
    },
    null,
    2,
  )}\n`,
  "index.js": `export const type = "${typeOf(name)}";
export const label = "${name}";
export const models = [];
export const agentConfigurationDoc = \`# ${typeOf(name)}

| key | | default |
|---|---|---|
| command | the program; it reads its task on standard input | cat |
| args | list of texts | [] |
| timeoutSec | the program is ended after this time | 300 |
\`;

// One heartbeat. The service runs the program for us: it logs what the program says, enforces timeout and grace, and ends
// all that the program started. Secrets belong into env, never into the prompt.
const execute = async ({ config, prompt, cwd, runProcess, onMeta, runtime }) => {
  const { command = "cat", args = [], timeoutSec = 300 } = config;
  const runs = (runtime.sessionParams?.runs ?? 0) + 1;
  await onMeta({ command, args, cwd });
  let said = "";
  const outcome = await runProcess({
    command,
    args,
    stdin: prompt,
    timeoutSec,
    graceSec: 10,
    onStdoutLine: (line) => {
      said = line.trim() || said;
    },
  });
  const { exitCode, signal, timedOut, startError } = outcome;
  const errorMessage =
    startError ?? (timedOut ? "It took too long." : exitCode !== 0 ? \`It ended with \${signal ?? exitCode}.\` : undefined);
  return { exitCode, signal, timedOut, errorMessage, summary: said, sessionParams: { runs } };
};

const testEnvironment = async ({ adapterType, config }) => {
  const isText = config.command === undefined || typeof config.command === "string";
  return {
    adapterType,
    status: isText ? "pass" : "fail",
    checks: isText
      ? [{ level: "info", code: "command_valid", message: "The command is a text." }]
      : [{ level: "error", code: "command_invalid", message: "command must be a text.", hint: "Leave it out for cat." }],
    testedAt: new Date().toISOString(),
  };
};

export const createServerAdapter = () => ({ type, models, agentConfigurationDoc, execute, testEnvironment });
`,
  "ui-parser.cjs": `// Runs in a sandbox without access to anything. What an agent says is not to be trusted: show it, never evaluate it.
module.exports.parseStdoutLine = (line, ts) =>
  line.trim() === "" ? [] : [{ kind: "assistant", ts, text: line }];
`,
});
