#!/usr/bin/env node
import type { WriteStream } from "node:tty";
import { clause } from "../../core/model/shared/sentence.ts";
import { cli } from "./cli.ts";

/**
 * Judges a standard stream that takes no more. A reader that closes the pipe (`boardroom issues list | head`) is not a failure. A
 * full disk is one, except for the service, which works on without its output.
 */
const outlivesOutput = (stream: WriteStream, isService: boolean): void => {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && !isService) process.exit(0);
    if (isService) return;
    if (stream === process.stderr) process.exit(1);
    process.stderr.write(
      `\u2717 The output cannot be written: ${clause(sentences[error.code ?? ""] ?? error.message)}.\n`,
      () => process.exit(1),
    );
  });
};

const sentences: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left there",
  EIO: "its device or terminal is gone",
};

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
