import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentUser } from "../../ports/agent-adapter.ts";

const files = 500;

/** A folder of others, and a program that makes a folder of its own a link to it and back, without end. */
export interface SwappingProgram {
  /** Below it the test makes the folders that the service works on. */
  readonly folder: string;
  /** Belongs to root and has as many files as the folder that is swapped, of the same names. */
  readonly others: string;
  readonly files: number;
  /** Makes a folder of the user and starts the program in it. */
  begin(cwd: string, user: AgentUser): Promise<void>;
  end(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const swappingProgram = (): SwappingProgram => {
  const folder = mkdtempSync(join(tmpdir(), "swapping-program-"));
  chmodSync(folder, 0o755);
  const others = join(folder, "others");
  const fill = (path: string, user: AgentUser | null) => {
    mkdirSync(path, { recursive: true });
    for (let n = 0; n < files; n += 1) {
      writeFileSync(join(path, `${n}`), "x");
      if (user !== null) chownSync(join(path, `${n}`), user.uid, user.gid);
    }
    if (user !== null) chownSync(path, user.uid, user.gid);
  };
  fill(others, null);
  const script = `
    const { renameSync, symlinkSync } = require("node:fs");
    const tried = (work) => { try { work(); } catch {} };
    process.stdout.write("begun");
    for (;;) {
      tried(() => symlinkSync(${JSON.stringify(others)}, "link"));
      tried(() => renameSync("own", "kept"));
      tried(() => renameSync("link", "own"));
      tried(() => renameSync("own", "link"));
      tried(() => renameSync("kept", "own"));
    }`;
  let end = async () => {};
  const program: SwappingProgram = {
    folder,
    others,
    files,
    begin: async (cwd, { uid, gid }) => {
      fill(join(cwd, "own"), { uid, gid });
      chownSync(cwd, uid, gid);
      const stdio = ["ignore", "pipe", "ignore"] as const;
      const child = spawn(process.execPath, ["-e", script], { cwd, uid, gid, stdio: [...stdio] });
      const ended = once(child, "exit");
      end = async () => {
        child.kill("SIGKILL");
        await ended;
      };
      await once(child.stdout!, "data");
    },
    end: () => end(),
    [Symbol.asyncDispose]: async () => {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return program;
};
