#!/usr/bin/env node
import { cli } from "./cli.ts";
import { outlivesOutput } from "./lost-output.ts";

const args = process.argv.slice(2);
for (const stream of [process.stdout, process.stderr]) outlivesOutput(stream, args[0] === "serve");

if (process.versions.pnp === undefined) {
  const exitCode = await cli(args);
  // A service that cannot start has already set process.exitCode.
  if (exitCode !== 0 || process.exitCode === undefined) process.exitCode = exitCode;
} else {
  process.stderr.write(
    "Boardroom does not run under Yarn Plug'n'Play, because it starts programs from its packages. Set `nodeLinker: node-modules` in .yarnrc.yml and install again.\n",
  );
  process.exitCode = 1;
}
