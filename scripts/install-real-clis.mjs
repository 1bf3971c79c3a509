// Installs the agent CLIs that test/real-clis/package.json, or that of another folder, pins. They are large (claude: 235 MB) and only for tests, so
// they are no dependency of the product. Quick when they are there already.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [given = "test/real-clis"] = process.argv.slice(2);
const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), given);

/** By package: its command, and the script of its own that puts the program of this platform in place. */
const clis = {
  "@anthropic-ai/claude-code": { command: "claude", afterInstall: "install.cjs" },
  "@openai/codex": { command: "codex" },
  "@agentclientprotocol/claude-agent-acp": { command: "claude-agent-acp" },
  "@agentclientprotocol/codex-acp": { command: "codex-acp" },
  "opencode-ai": { command: "opencode", afterInstall: "postinstall.mjs" },
  "@google/gemini-cli": { command: "gemini" },
  "@github/copilot": { command: "copilot" },
  "@qwen-code/qwen-code": { command: "qwen" },
  // Starts alone on Node 22 and later; test/mcp helps it on Node 20.
  "@modelcontextprotocol/conformance": { command: "conformance", isScript: true },
};

const run = (command, args, options = {}) =>
  spawnSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });

const pinned = () => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies;

const isInstalled = (name, version) => {
  const program = join(folder, "node_modules", ".bin", clis[name].command);
  if (!existsSync(program)) return false;
  const installed = JSON.parse(
    readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"),
  ).version;
  if (clis[name].isScript) return installed === version;
  return installed === version && (run(program, ["--version"]).stdout ?? "").includes(version);
};

export const installRealClis = () => {
  const wanted = Object.entries(pinned());
  if (wanted.every(([name, version]) => isInstalled(name, version))) return "already installed";
  const succeed = (what, { status, stderr }) => {
    if (status !== 0) throw new Error(`${what} failed:\n${stderr}`);
  };
  // Scripts of packages do not run by themselves: we run the ones that we know, and no others.
  // No lock: it would name the programs of every platform, and not every registry has them all. Versions are exact.
  succeed(
    "npm install",
    run("npm", ["install", "--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"]),
  );
  for (const [name, version] of wanted) {
    const script = clis[name].afterInstall;
    if (script)
      succeed(`${name}: ${script}`, run(process.execPath, [join(folder, "node_modules", name, script)]));
    if (!isInstalled(name, version)) throw new Error(`${name} ${version} was installed but does not run.`);
  }
  return "installed";
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(
    `real CLIs: ${installRealClis()} (${Object.entries(pinned())
      .map((pin) => pin.join("@"))
      .join(", ")})`,
  );
}
