import { existsSync } from "node:fs";

// `npm ci` builds the program in a script of its own, which --ignore-scripts leaves out.
if (!existsSync(new URL("../dist/boardroom.js", import.meta.url))) {
  process.stderr.write(
    "Boardroom is not built yet, because it was installed with --ignore-scripts. Build it with: npm run prepare\n",
  );
  process.exitCode = 1;
}
