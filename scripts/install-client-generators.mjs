// Installs the client generators and linters that test/clients/package.json pins. They are only for tests, so they are no
// dependency of the product. Quick when they are there already.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "test", "clients");
const read = (file) => JSON.parse(readFileSync(file, "utf8"));

const isInstalled = ([name, version]) => {
  const manifest = join(folder, "node_modules", name, "package.json");
  return existsSync(manifest) && read(manifest).version === version;
};

if (!Object.entries(read(join(folder, "package.json")).dependencies).every(isInstalled)) {
  // No lock: the folder is no part of what is delivered. Versions are exact.
  const options = ["--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  const { status } = spawnSync("npm", ["install", ...options], { cwd: folder, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
