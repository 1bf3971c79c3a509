import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const helper = fileURLToPath(new URL("../../dist/runner-helper.js", import.meta.url));

describe.skipIf(process.getuid?.() !== 0)("the program inside of a container", () => {
  it.each([
    ["an image of Node alone", [], "said\n"],
    ["an image with a shell and mkfifo", ["/usr/bin/mkfifo", "/bin/sh"], "said\nby name\n"],
  ])("starts its program in %s", (_image, programs, expected) => {
    const folder = mkdtempSync(join(tmpdir(), "image-"));
    const spec = {
      runId: "01a20712-2d0c-76a8-a744-19fcbf3c2254",
      installation: "01a20712-2d0c-76a8-a744-19fcbf3c2255",
      program: {
        command: "/node",
        args: [
          "-e",
          'process.stdout.write("said\\n"); try { require("fs").writeFileSync("/dev/stdout", "by name\\n") } catch {}',
        ],
        timeoutSec: 60,
        graceSec: 1,
      },
      cwd: "/tmp",
      env: {},
      files: [],
      folders: ["/tmp"],
      fence: null,
    };
    writeFileSync(join(folder, "spec"), JSON.stringify(spec));
    const shown = ["/lib", "/lib64", "/usr/lib", ...programs].flatMap((path) => [
      "--ro-bind-try",
      path,
      path,
    ]);
    try {
      const frames = execFileSync(
        "bwrap",
        [
          ...[...shown, "--ro-bind", process.execPath, "/node", "--ro-bind", helper, "/helper.mjs"],
          ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--ro-bind", folder, "/spec"],
          ...["--clearenv", "--setenv", "PATH", "/bin", "--", "/node", "/helper.mjs", "/spec/spec"],
        ],
        { encoding: "utf8" },
      )
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const output = frames
        .filter(({ s }) => s === "o")
        .map(({ d }) => Buffer.from(d, "base64").toString())
        .join("");
      expect({ output, exit: frames.at(-1).x.exitCode }).toEqual({ output: expected, exit: 0 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
