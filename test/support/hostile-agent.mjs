// An agent program that does what it likes: each argument is one thing to do, in order. Pids of what it starts go to
// the file named by PIDS, one a line, because what escapes cannot be asked later.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeSync } from "node:fs";

const self = process.argv[1];
const pids = process.env.PIDS;
const note = (pid) => pids && appendFileSync(pids, `${pid}\n`);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const forever = () => setInterval(() => {}, 60_000);
const child = (args, options = {}) =>
  spawn(process.execPath, [self, ...args], { stdio: "inherit", ...options });
/** Blocking, so that "exit" afterwards loses nothing. */
const write = (fd, data) => {
  let rest = Buffer.from(data);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
};

const deeds = {
  "ignore-term": () => process.on("SIGTERM", () => {}),
  "note-term": () =>
    process.on("SIGTERM", () => {
      write(1, "got SIGTERM\n");
      setTimeout(() => process.exit(0), 300);
    }),
  hang: () => forever(),
  note: () => note(process.pid),
  // Waits until so many processes have noted themselves: a new one takes long on a busy machine.
  noted: async (count) => {
    while (!existsSync(pids) || readFileSync(pids, "utf8").split("\n").length <= Number(count))
      await sleep(20);
  },
  // A program that is not enclosed is moved into the group of its run just after its start.
  grouped: async () => {
    while (!readFileSync("/proc/self/cgroup", "utf8").includes("boardroom-runs")) await sleep(5);
  },
  fork: () => child(["ignore-term", "note", "hang"]),
  setsid: () => child(["ignore-term", "note", "hang"], { detached: true }),
  "double-fork": () => child(["setsid", "wait:300", "exit:0"]),
  // Forgets the environment, but not the session.
  "clean-env": () => child(["ignore-term", "note", "hang"], { env: { PIDS: pids, PATH: process.env.PATH } }),
  // Forgets the environment, leaves the session, and outlives its parent.
  vanish: () =>
    child(["ignore-term", "note", "hang"], { detached: true, env: { PIDS: pids, PATH: process.env.PATH } }),
  stop: () => process.kill(process.pid, "SIGSTOP"),
  flood: (megabytes) => {
    const block = Buffer.alloc(1024 * 1024, `${"x".repeat(1023)}\n`);
    for (let i = 0; i < Number(megabytes); i++) write(1, block);
  },
  "long-line": (megabytes) => {
    for (let i = 0; i < Number(megabytes); i++) write(1, "y".repeat(1024 * 1024));
    write(1, "\nafter\n");
  },
  "invalid-utf8": () => write(1, Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a, 0xc3])),
  binary: () => write(1, Buffer.from([0x61, 0x00, 0x62, 0x0a])),
  "split-character": async () => {
    write(1, Buffer.from([0x70, 0xc3]));
    await sleep(100);
    write(1, Buffer.from([0xa9, 0x0a]));
  },
  say: (text) => write(1, `${text}\n`),
  complain: (text) => write(2, `${text}\n`),
  result: () => write(1, `{"type":"result"}\n`),
  "show-env": (name) => write(1, `${name}=${process.env[name]}\n`),
  ids: () => write(1, `uid ${process.getuid()} gid ${process.getgid()}\n`),
  "close-stdin": async () => {
    process.stdin.destroy();
    await sleep(300);
  },
  "echo-stdin": async () => {
    let bytes = 0;
    for await (const chunk of process.stdin) bytes += chunk.length;
    write(1, `read ${bytes}\n`);
  },
  // Says each line of its input again: so many, or all.
  "echo-lines": async (count) => {
    let written = 0;
    let rest = "";
    for await (const chunk of process.stdin.setEncoding("utf8")) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        write(1, `${line}\n`);
        written += 1;
        if (written === Number(count)) return;
      }
    }
  },
  // Leaves the issue as it is the first time, and finishes it when woken again.
  "finish-later": async () => {
    const {
      SERVICE_WAKE_REASON: reason,
      SERVICE_API_URL: url,
      SERVICE_API_KEY: key,
      SERVICE_TASK_ID: task,
    } = process.env;
    if (reason === "issue_assigned") return;
    const answer = await fetch(`${url}/api/issues/${task}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ status: "done" }),
    });
    write(1, `finished with ${answer.status}\n`);
  },
  wait: (ms) => sleep(Number(ms)),
  exit: (code) => process.exit(Number(code)),
};

for (const argument of process.argv.slice(2)) {
  const [name, ...rest] = argument.split(":");
  await deeds[name](rest.join(":"));
}
