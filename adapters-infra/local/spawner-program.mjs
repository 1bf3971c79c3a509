// A small process that starts programs for the service: a fork copies the page tables of the process that forks. The
// streams of a program are named pipes, whose other ends the service holds. It ends with the service; its programs do not.
import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync } from "node:fs";

const channel = 3;

// Descriptors that the starter of the service passed on are not for programs.
for (const descriptor of process.argv.slice(2).map(Number)) {
  try {
    if (descriptor !== channel) closeSync(descriptor);
  } catch {
    // The service has closed it since.
  }
}
// Files that programs make are for their user alone.
process.umask(0o077);
process.on("disconnect", () => process.exit(0));
// The service decides when its programs end.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const say = (message) => {
  if (process.connected) process.send(message, () => {});
};

const start = ({ id, command, args, cwd, env, user, streams, entrance }) => {
  const opened = [];
  const open = (path, flags) => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  /** Opens the program's end of a stream; never waits for the service's, because the service may have died. */
  const end = (path, flags) => {
    open(path, constants.O_RDWR | constants.O_NONBLOCK);
    return open(path, flags);
  };
  try {
    const { stdin, stdout, stderr } = streams;
    const stdio = [
      stdin === null ? "ignore" : end(stdin, constants.O_RDONLY),
      end(stdout, constants.O_WRONLY),
      end(stderr, constants.O_WRONLY),
    ];
    if (entrance !== null) stdio.push(open(entrance, "r+"));
    const child = spawn(command, args, { cwd, env, detached: true, shell: false, stdio, ...user });
    child.on("error", (error) => say({ id, failed: error.code ?? error.message }));
    child.once("exit", (code, signal) => say({ id, exit: { code, signal } }));
    // The kernel keeps the entry until the exit status has been read, which happens after this turn at the earliest.
    if (child.pid !== undefined)
      say({ id, pid: child.pid, stat: readFileSync(`/proc/${child.pid}/stat`, "latin1") });
  } catch (error) {
    say({ id, failed: error.code ?? error.message });
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
};

process.on("message", start);
say({ ready: true });
