// A small process that starts programs for the service: a fork copies the page tables of the process that forks. The
// streams of a program are connections to the service's socket, which the spawner opens, names by a key, hands to the
// program, and closes on its side. It ends with the service; its programs do not.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { dirname } from "node:path";

const path = process.argv[2];

process.on("disconnect", () => {
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit(0);
});
// The service decides when its programs end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const say = (message) => {
  if (process.connected) process.send(message, () => {});
};

/** Opens a stream; without a key the program gets none. */
const open = (key, opened) =>
  key === null
    ? "ignore"
    : new Promise((resolve, reject) => {
        const socket = new Socket();
        opened.push(socket);
        // Further input is for the program.
        socket.pause();
        socket.once("error", reject);
        socket.connect(path, () => socket.write(key, () => resolve(socket)));
      });

const start = async ({ id, command, args, cwd, env, user, keys, entrance }) => {
  const opened = [];
  let file = null;
  try {
    const stdio = await Promise.all(keys.map((key) => open(key, opened)));
    if (entrance !== null) {
      file = openSync(entrance, "r+");
      stdio.push(file);
    }
    const child = spawn(command, args, { cwd, env, detached: true, shell: false, stdio, ...user });
    child.on("error", (error) => say({ id, failed: error.code ?? error.message }));
    child.once("exit", (code, signal) => say({ id, exit: { code, signal } }));
    // The kernel keeps the entry until the exit status has been read, which happens after this turn at the earliest.
    if (child.pid !== undefined)
      say({ id, pid: child.pid, stat: readFileSync(`/proc/${child.pid}/stat`, "latin1") });
  } catch (error) {
    say({ id, failed: error.code ?? error.message });
  } finally {
    if (file !== null) closeSync(file);
    for (const socket of opened) socket.destroy();
  }
};

process.on("message", start);
say({ ready: true });
