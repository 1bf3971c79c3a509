import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the checkout that holds this program; null where the program is installed. */
export const checkout = (): string | null => {
  const here = fileURLToPath(new URL(".", import.meta.url));
  // In a checkout this file lies in hosts/composition, or in dist as part of the bundle.
  return (
    [join(here, "../.."), join(here, "..")].find((root) =>
      existsSync(join(root, "hosts", "composition", "data-dir.ts")),
    ) ?? null
  );
};

/** `./data` next to the package.json of a checkout, `~/.boardroom` when installed. */
export const defaultDataDir = (): string => {
  const root = checkout();
  return root === null ? join(homedir(), ".boardroom") : join(root, "data");
};
