import { join } from "node:path";
import { signInHints } from "../failure.ts";
import type { RulesFileName } from "../house-rules.ts";
import { asObject, parseObject } from "../json.ts";
import { configVariable } from "../opencode-variable.ts";
import type { Policy } from "../permissions.ts";
import type { SkillsPath } from "../skills.ts";

/** An agent program by name: how it is started, and in what it differs from the protocol. */
export interface Preset {
  readonly command: string;
  readonly args: readonly string[];
  readonly installHint: string;
  readonly signInHint: string;
  /** Variables that the agent's own `env` overrides. */
  readonly env: (policy: Policy) => Readonly<Record<string, string>>;
  /** Variables that add to the value that the agent's own `env` has for them. */
  readonly addedEnv?: (own: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** Variables of an enclosing session of the same program. */
  readonly unsetEnv: readonly string[];
  /** By policy, the modes of a session in the order of choice; the first one that the agent offers is set. */
  readonly modes: Readonly<Record<Policy, readonly string[]>>;
  /** A switch of a session that answers permissions by itself. */
  readonly allowAllOption?: string;
  /** It fills in variables of its environment in headers of tools; a token itself would reach an argument of its child. */
  readonly fillsInVariables?: true;
  /** It reports a call of a server's tool by an input of its own: `server`, `tool` and the model's `arguments`. */
  readonly namesServers?: true;
  /** The run's folder, outside of its home and workspace, as it reads it. Absent: not at all, and the prompt tells. */
  readonly reads?: ReadFolder;
  /** The folders of skills that it reads by itself, as people write them; `~` is the home. */
  readonly skillFolders: readonly string[];
  /** Its input tokens include those read from a cache. */
  readonly cachedIsIncluded?: true;
  /** It opens a session before it has the tools of servers: asked by this, it waits for them, at most so many ms. */
  readonly sessionMeta?: Readonly<Record<string, number>>;
  /** How it takes messages in its turn, where it has no steering: a second prompt joins, or it asks for them itself. */
  readonly takesMessagesBy?: "prompt" | "asking";
  /** It continues the replay of a loaded session after its answer, and destroys one that is loaded in its first minute. */
  readonly loadsLate?: true;
  /** Says an error of the model as a text, without usage, and ends the turn as if it had succeeded. */
  readonly saysErrorsAsText?: true;
}

/** How a program gets a folder of the run, and what it reads there. */
export interface ReadFolder {
  /** The file of the house rules, by the program's own name. Absent: the prompt tells of them. */
  readonly rules?: RulesFileName;
  /** Before the rules in that file. */
  readonly rulesHead?: string;
  /** Where it finds skills there. Absent: the prompt tells of them. */
  readonly skills?: SkillsPath;
  /** How it gets the folder; `session`: as one that the session adds. */
  readonly by: "session" | ((folder: string, holds: FolderContents) => FolderSettings);
}

/** The content of the folder in this run. */
export interface FolderContents {
  readonly skills: boolean;
  /** The file of the house rules; null: the company has none. */
  readonly rules: string | null;
  /** The program's environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface FolderSettings {
  readonly args?: readonly string[];
  /** Where the agent's own `env` sets one of them, the prompt tells instead. */
  readonly env?: Readonly<Record<string, string>>;
  /** These add to the values of the agent's own `env`. */
  readonly addedEnv?: Readonly<Record<string, string>>;
  readonly file?: { readonly path: string; readonly text: string };
}

/** Its lowest layer of settings, so that those of its user and workspace still count. */
const qwenDefaults = (folder: string): FolderSettings => {
  const path = join(folder, "qwen-defaults.json");
  const settings = {
    context: { includeDirectories: [folder], loadFromIncludeDirectories: true },
    skills: { directories: [join(folder, ".claude", "skills")] },
  };
  return { env: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: path }, file: { path, text: JSON.stringify(settings) } };
};

/**
 * codex writes the environment of its shell, with the run's token, into a file of its home, which the agents of a company
 * share (0.166). A value that is no JSON stays, and the program says so.
 */
const withoutShellSnapshot = (own: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
  const config = parseObject(own.CODEX_CONFIG || "{}");
  if (config === null) return {};
  const features = { ...asObject(config.features), shell_snapshot: false };
  return { CODEX_CONFIG: JSON.stringify({ ...config, features }) };
};

export const presetNames = ["claude", "codex", "gemini", "opencode", "copilot", "qwen", "custom"] as const;
export type PresetName = (typeof presetNames)[number];

/** Asks for every tool but those that only read and the service's own. Of two rules the later one counts. */
const opencodeAsks = (policy: Policy) => ({
  "*": "ask",
  ...Object.fromEntries(opencodeReads.map((tool) => [tool, "allow"])),
  edit: policy === "allow_edits" ? "allow" : "ask",
  "boardroom_*": "allow",
});
const opencodeReads = ["read", "list", "glob", "grep", "lsp", "skill", "todoread", "todowrite"];

const none = { allow: [], allow_edits: [], ask: [], deny: [] };
const npm = (name: string) => `Install it with \`npm install -g ${name}\` on the service's machine`;
const orCommand = "or configure its absolute path as command.";

export const presets: Readonly<Record<PresetName, Preset>> = {
  claude: {
    command: "claude-agent-acp",
    args: [],
    installHint: `${npm("@agentclientprotocol/claude-agent-acp")}, ${orCommand}`,
    signInHint: signInHints.claude,
    // Without the second it shows its model tools only when that searches for them.
    env: () => ({
      DISABLE_AUTOUPDATER: "1",
      ENABLE_TOOL_SEARCH: "false",
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1",
    }),
    reads: { rules: "CLAUDE.md", skills: ".claude/skills", by: "session" },
    skillFolders: ["~/.claude/skills", "<workspace>/.claude/skills"],
    unsetEnv: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"],
    modes: {
      allow: ["bypassPermissions", "default"],
      allow_edits: ["acceptEdits"],
      ask: ["default"],
      deny: ["default"],
    },
    fillsInVariables: true,
  },
  codex: {
    command: "codex-acp",
    args: [],
    installHint: `${npm("@agentclientprotocol/codex-acp")}, ${orCommand}`,
    signInHint: signInHints.codex,
    env: () => ({ NO_BROWSER: "1" }),
    addedEnv: withoutShellSnapshot,
    // Rules it reads in its home and workspace alone.
    reads: { skills: ".agents/skills", by: "session" },
    skillFolders: ["~/.codex/skills", "~/.agents/skills", "<workspace>/.agents/skills"],
    unsetEnv: ["CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_CI"],
    modes: {
      allow: ["agent-full-access"],
      allow_edits: ["workspace-write"],
      ask: ["workspace-write"],
      deny: ["workspace-write"],
    },
    namesServers: true,
    sessionMeta: { mcpStartupAwaitTimeoutMs: 30_000 },
  },
  gemini: {
    command: "gemini",
    args: ["--acp"],
    installHint: `${npm("@google/gemini-cli")}, ${orCommand}`,
    signInHint:
      "Bind a secret to GEMINI_API_KEY in the agent's env, or sign in as the user that agents run as.",
    // In a folder without trust it has no tools of servers.
    env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: "true" }),
    reads: {
      rules: "GEMINI.md",
      // It reads none in a folder without trust.
      by: (folder) => ({
        args: ["--include-directories", folder],
        env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
      }),
    },
    skillFolders: [
      "~/.gemini/skills",
      "~/.agents/skills",
      "<workspace>/.gemini/skills",
      "<workspace>/.agents/skills",
    ],
    unsetEnv: [],
    modes: { allow: ["yolo"], allow_edits: ["autoEdit"], ask: ["default"], deny: ["default"] },
    cachedIsIncluded: true,
    loadsLate: true,
  },
  opencode: {
    command: "opencode",
    args: ["acp"],
    installHint: `${npm("opencode-ai")}, ${orCommand}`,
    signInHint: signInHints.opencode,
    env: (policy) => ({
      // Agents write to the workspace, and a configuration can start programs.
      OPENCODE_DISABLE_PROJECT_CONFIG: "true",
      OPENCODE_DISABLE_AUTOUPDATE: "true",
      OPENCODE_PERMISSION: JSON.stringify(policy === "allow" ? { "*": "allow" } : opencodeAsks(policy)),
    }),
    reads: {
      rules: "AGENTS.md",
      skills: ".claude/skills",
      by: (folder, { skills, rules, env }) => ({
        addedEnv: configVariable({ skills: skills ? folder : null, rules }, null, env),
      }),
    },
    skillFolders: ["~/.config/opencode/skills", "~/.claude/skills", "~/.agents/skills"],
    unsetEnv: ["OPENCODE", "OPENCODE_PID", "OPENCODE_RUN_ID"],
    modes: { allow: ["build"], allow_edits: ["build"], ask: ["build"], deny: ["build"] },
    takesMessagesBy: "prompt",
  },
  copilot: {
    command: "copilot",
    args: ["--acp"],
    installHint: `${npm("@github/copilot")}, ${orCommand}`,
    signInHint: "Sign in by running `copilot login` as the user that agents run as.",
    env: () => ({ COPILOT_AUTO_UPDATE: "false" }),
    reads: {
      // It reads `AGENTS.md` of its repository alone; of a folder, instructions that name the files they are for.
      rules: ".github/instructions/company.instructions.md",
      rulesHead: `---\napplyTo: "**"\n---\n\n`,
      // Over ACP it finds no skills in a folder of `--add-dir` (1.0.102).
      by: (folder) => ({
        env: { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: folder },
      }),
    },
    skillFolders: [
      "~/.copilot/skills",
      "~/.agents/skills",
      "<workspace>/.github/skills",
      "<workspace>/.agents/skills",
    ],
    unsetEnv: [],
    modes: { allow: ["agent"], allow_edits: ["agent"], ask: ["agent"], deny: ["agent"] },
    allowAllOption: "allow_all",
    fillsInVariables: true,
    cachedIsIncluded: true,
    saysErrorsAsText: true,
  },
  qwen: {
    command: "qwen",
    // Else its model finds tools of servers only by a search, as a tool of its own.
    args: ["--acp", "--exclude-tools", "tool_search"],
    installHint: `${npm("@qwen-code/qwen-code")}, ${orCommand}`,
    signInHint:
      "Bind a secret to OPENAI_API_KEY in the agent's env, or sign in as the user that agents run as.",
    // Else it begins its turn before it has the tools of servers.
    env: () => ({ QWEN_CODE_LEGACY_MCP_BLOCKING: "1" }),
    reads: { rules: "QWEN.md", skills: ".claude/skills", by: qwenDefaults },
    skillFolders: ["~/.qwen/skills", "<workspace>/.qwen/skills"],
    unsetEnv: [],
    modes: { allow: ["yolo"], allow_edits: ["auto-edit"], ask: ["default"], deny: ["default"] },
    takesMessagesBy: "asking",
    cachedIsIncluded: true,
  },
  custom: {
    command: "",
    args: [],
    installHint: "Install it on the service's machine, or configure its absolute path as command.",
    signInHint: "Sign in as the user that agents run as, or bind its key as a secret in the agent's env.",
    env: () => ({}),
    skillFolders: [],
    unsetEnv: [],
    modes: none,
  },
};
