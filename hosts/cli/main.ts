#!/usr/bin/env node
import { cli } from "./cli.ts";

// A reader that closes the pipe (`boardroom issues list | head`) is not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const exitCode = await cli(process.argv.slice(2));
// A service that cannot start has already set process.exitCode.
if (exitCode !== 0 || process.exitCode === undefined) process.exitCode = exitCode;
