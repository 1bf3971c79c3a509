import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface NeededProgram {
  readonly command: string;
  /** Debian's packages with it, and what else its tests need. */
  readonly packages: readonly string[];
  /** The tests, as they are named to people. */
  readonly tests: string;
  /** The text by which a test file shows that it needs the program; null: such tests skip themselves, by `has`. */
  readonly isNeededBy: RegExp | null;
}

/** The programs that tests start beside Node, the product's own packages, and what every Debian has. */
const programs: readonly NeededProgram[] = [
  {
    command: "bwrap",
    packages: ["bubblewrap"],
    tests: "isolated agents and of repositories",
    isNeededBy:
      /SERVICE_SANDBOX: "(?:auto|required|)"|detectSandbox|startBoardWithGitHost|support\/(?:hosted-api|code-stores)\.ts/,
  },
  {
    command: "iptables",
    packages: ["iptables"],
    tests: "the firewall of agents",
    isNeededBy: /"iptables"|startsWith\("iptables/,
  },
  {
    command: "git",
    packages: ["git"],
    tests: "repositories",
    isNeededBy: /"git"|startBoardWithGitHost|support\/(?:git-\w+|hosted-api|code-stores)\.ts/,
  },
  { command: "curl", packages: ["curl"], tests: "the documented commands", isNeededBy: /\bcurl\b/ },
  { command: "openssl", packages: ["openssl"], tests: "TLS", isNeededBy: /"openssl"|support\/nginx\.ts/ },
  { command: "pgrep", packages: ["procps"], tests: "processes", isNeededBy: /"pgrep"/ },
  { command: "ip", packages: ["iproute2"], tests: "several hosts", isNeededBy: null },
  { command: "nginx", packages: ["nginx-light"], tests: "services behind nginx", isNeededBy: null },
  {
    command: "chromium",
    packages: ["chromium", "chromium-headless-shell", "fonts-dejavu-core"],
    tests: "the board page",
    isNeededBy: null,
  },
  { command: "pgbouncer", packages: ["pgbouncer"], tests: "connection poolers", isNeededBy: /"pgbouncer"/ },
  { command: "zsh", packages: ["zsh"], tests: "completion in zsh", isNeededBy: null },
  { command: "fish", packages: ["fish"], tests: "completion in fish", isNeededBy: null },
  { command: "age", packages: ["age"], tests: "backups with the program age", isNeededBy: null },
];

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Whether a program is installed; ordinary users' PATH lacks the folders of some. */
export const has = (command: string): boolean =>
  [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"].some((folder) =>
    isProgram(join(folder, command)),
  );

const missing = (): readonly NeededProgram[] => programs.filter(({ command }) => !has(command));

const mayInstall = process.getuid?.() === 0 && existsSync("/etc/debian_version") && has("apt-get");

/** Installs Debian's packages. Several runs of the suite may do so at once: each waits for the others. */
const install = (packages: readonly string[]): void => {
  process.stderr.write(`The tests install ${packages.join(", ")}.\n`);
  const wait = "-qq -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3";
  const script = `apt-get ${wait} update; exec apt-get ${wait} install -y --no-install-recommends "$@" >/dev/null`;
  const lock = "/run/lock/boardroom-tests-apt";
  execFileSync("flock", [lock, "sh", "-c", script, "install", ...packages], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdio: ["ignore", "ignore", "inherit"],
  });
};

/** Before any test: installs what is missing, where it may; else says which tests do not run, and fails in CI. */
export default (): void => {
  const absent = missing();
  if (absent.length > 0 && mayInstall) install(absent.flatMap(({ packages }) => packages));
  const lines = missing().map(
    ({ command, packages, tests }) =>
      `Tests of ${tests} do not run: ${command} is missing (apt-get install ${packages.join(" ")}).\n`,
  );
  if (lines.length > 0 && (process.env.CI || mayInstall)) throw new Error(lines.join(""));
  for (const line of lines) process.stderr.write(line);
};

/** The test files that cannot run here, and for which nothing will be installed. */
export const filesWithoutPrograms = (root: string): readonly string[] => {
  const patterns = mayInstall ? [] : missing().flatMap(({ isNeededBy }) => isNeededBy ?? []);
  if (patterns.length === 0) return [];
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => `test/${path}`)
    .filter((path) => {
      const text = readFileSync(join(root, path), "utf8");
      return patterns.some((pattern) => pattern.test(text));
    });
};
