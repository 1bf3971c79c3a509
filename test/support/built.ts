import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Before any test: what the tests start as a program is what the sources say now. */
export default (): void => {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../scripts/build.mjs", import.meta.url))], {
    stdio: "inherit",
  });
};
