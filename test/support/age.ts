import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs `age`, which asks for a passphrase on a terminal alone: `script` of Debian's base system makes one. */
export const ageWithPassphrase = async (passphrase: string, ...args: readonly string[]): Promise<void> => {
  const command = ["age", ...args].map((each) => `'${each}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "inherit"] });
  let shown = "";
  child.stdout.on("data", (data) => {
    shown += data;
    // It asks once, or twice where it encrypts.
    if (/passphrase[^\n]*: $/i.test(shown.replace(/\u001b\[[0-9;]*[A-Za-z]/g, ""))) {
      shown = "";
      child.stdin.write(`${passphrase}\n`);
    }
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`age: ${code}\n${shown}`);
};
