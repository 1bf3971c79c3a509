// Runs the tests of control groups in a Linux kernel of their own, Debian's user-mode-linux: it boots as a process, on the
// file system of this machine. Tests of the machine's own groups need no such kernel: `CGROUPS=1 npx vitest run`.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const kernel = ["/usr/bin/linux.uml", "/usr/bin/linux"].find(existsSync);
const skip = (why) => {
  process.stdout.write(`Skipped: ${why}\n`);
  process.exit(0);
};
if (process.platform !== "linux" || kernel === undefined)
  skip(
    "the tests of control groups need a kernel that boots as a process (apt-get install user-mode-linux).",
  );
if (process.getuid() !== 0)
  skip("the kernel's programs need to be root on this file system: start it as root.");

const checkout = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "control-groups-"));
const child = spawn(
  kernel,
  [
    ...["root=/dev/root", "rootfstype=hostfs", "rw", "mem=3G", "quiet", "con=null", "con0=null,fd:1"],
    ...[`uml_dir=${folder}`, `init=${join(checkout, "test/cgroups/init.sh")}`],
    // Words that the kernel does not know become the environment of its first program.
    ...[`CHECKOUT=${checkout}`, `NODE=${process.execPath}`, `TESTS=${process.argv.slice(2).join(" ")}`],
  ],
  { stdio: ["ignore", "pipe", "inherit"] },
);
let output = "";
child.stdout.on("data", (chunk) => {
  process.stdout.write(chunk);
  output = `${output}${chunk}`.slice(-10_000);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill("SIGTERM"));
const end = (why) => {
  rmSync(folder, { recursive: true, force: true });
  const code = /control groups: exit (\d+)/.exec(output)?.[1];
  if (code === undefined)
    process.stdout.write(
      `Failed: the kernel ended before its tests (${why}). It needs ptrace, which a container's profile may forbid, and
/dev/shm with room for 3 GB whose files may be executed (mount -o remount,exec,size=3g /dev/shm). Start
'${kernel} mem=3G' to read what it says.\n`,
    );
  process.exit(code === undefined ? 1 : Number(code));
};
child.on("error", (error) => end(error.message));
child.on("close", (code, signal) => end(signal ?? `exit ${code}`));
