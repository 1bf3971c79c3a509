import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Serves the first request, which opens the connection, and leaves all others without an answer. */
const server = `
use strict;
my ($dir) = @ARGV;
$^F = 10;
open(my $kernel, "+<", "/dev/fuse") or die "open: $!";
my $options = "fd=" . fileno($kernel) . ",rootmode=40000,user_id=0,group_id=0,allow_other";
system("mount", "-i", "-t", "fuse", "-o", $options, "silent", $dir) == 0 or die "mount";
sysread($kernel, my $request, 1 << 20) or die "read: $!";
my ($length, $operation, $id) = unpack("VVQ<", $request);
my $answer = pack("VVVVvvVVvvVV", 7, 31, 4096, 0, 12, 10, 4096, 1, 1, 0, 0, 0) . chr(0) x 24;
syswrite($kernel, pack("VlQ<", 16 + 64, 0, $id) . substr($answer, 0, 64)) or die "write: $!";
$| = 1;
print "silent\n";
while (sysread($kernel, $request, 1 << 20)) {}
`;

/** A file system whose server never answers: no signal ends what waits for it. */
export interface SilentFiles {
  readonly folder: string;
  readonly close: () => Promise<void>;
}

/** null: this machine lets nobody make file systems. */
export const silentFiles = async (): Promise<SilentFiles | null> => {
  try {
    accessSync("/dev/fuse", constants.W_OK);
  } catch {
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), "silent-"));
  const child = spawn("perl", ["-e", server, folder], { stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(child, "exit");
  const serves = await Promise.race([once(child.stdout, "data").then(() => true), exited.then(() => false)]);
  if (!serves) {
    rmSync(folder, { recursive: true });
    return null;
  }
  return {
    folder,
    close: async () => {
      child.kill("SIGKILL");
      await exited;
      execFileSync("umount", ["--lazy", folder]);
      rmSync(folder, { recursive: true });
    },
  };
};
