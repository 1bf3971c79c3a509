#!/usr/bin/env node
import { cli } from "./cli.ts";

// A reader that has seen enough (`boardroom issues list | head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const exitCode = await cli(process.argv.slice(2));
// A service that could not start has said so already, in process.exitCode.
if (exitCode !== 0 || process.exitCode === undefined) process.exitCode = exitCode;
