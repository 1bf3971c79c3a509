import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the program before any test, so that tests start the present sources. */
export default (): void => {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url))], {
    stdio: "inherit",
  });
};
