// How soon, how many and how heavy runs are: `node scripts/build.mjs && node test/bench/runs.mjs`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const program = new URL("../../dist/boardroom.js", import.meta.url).pathname;
const hostile = new URL("../support/hostile-agent.mjs", import.meta.url).pathname;
const folder = await mkdtemp(join(tmpdir(), "boardroom-runs-"));
const service = spawn(process.execPath, [program, "serve"], {
  env: { PATH: process.env.PATH, HOME: folder, PORT: "0", SERVICE_DATA_DIR: join(folder, "data") },
  stdio: ["ignore", "pipe", "inherit"],
});
let said = "";
service.stdout.on("data", (chunk) => {
  said += chunk;
});
const until = async (look, everyMs = 20) => {
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
};
const url = (await until(() => /boardroom listening on (\S+)\n/.exec(said)))[1];
const token = (await readFile(join(folder, "data", "board-token"), "utf8")).trim();
const call = async (method, path, body) => {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
};
const { id: companyId } = await call("POST", "/api/companies", { name: "Bench" });
let agents = 0;
const agent = async (command, args) =>
  (
    await call("POST", `/api/companies/${companyId}/agents`, {
      name: `Agent ${++agents}`,
      adapterType: "process",
      adapterConfig: { command, args, graceSec: 1 },
    })
  ).id;
const invoke = (id) => call("POST", `/api/agents/${id}/heartbeat/invoke`, {});
const idle = () =>
  until(async () => {
    const { runsQueued, runsRunning, wakesPending } = await call("GET", "/api/health");
    return runsQueued + runsRunning + wakesPending === 0;
  });
const at = (p, sorted) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))];
const tell = (what, millis) => {
  const sorted = [...millis].sort((a, b) => a - b);
  console.log(
    `${what}: p50 ${at(0.5, sorted).toFixed(1)} ms, p95 ${at(0.95, sorted).toFixed(1)} ms, n ${sorted.length}`,
  );
};
const lines = async (file) =>
  (await readFile(file, "utf8").catch(() => "")).trim().split("\n").filter(Boolean);
const now = () => performance.timeOrigin + performance.now();

try {
  const marks = join(folder, "marks");
  const marker = await agent("/bin/sh", ["-c", `date +%s%N >> ${marks}`]);
  const latencies = [];
  for (let i = 0; i < 105; i++) {
    const from = now();
    await invoke(marker);
    await until(async () => (await lines(marks)).length > i, 3);
    latencies.push(Number((await lines(marks)).at(-1)) / 1e6 - from);
    await idle();
  }
  tell("from the request that wakes to the program's first instruction", latencies.slice(5));

  const ends = join(folder, "ends");
  const sleeper = await agent("/bin/sh", ["-c", `date +%s%N >> ${ends}; sleep 0.15; date +%s%N >> ${ends}`]);
  const follows = [];
  for (let i = 0; i < 40; i++) {
    await rm(ends, { force: true });
    await invoke(sleeper);
    await until(async () => (await lines(ends)).length > 0, 3);
    await invoke(sleeper);
    await until(async () => (await lines(ends)).length === 4, 3);
    const [, end, next] = (await lines(ends)).map((line) => Number(line) / 1e6);
    follows.push(next - end);
    await idle();
  }
  tell("from the end of a program to the start of the one that waited for it", follows);

  const count = 300;
  const bare = async () => {
    let started = 0;
    const from = performance.now();
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        while (started < count) {
          started += 1;
          await once(spawn("/bin/true", [], { detached: true, stdio: ["ignore", "pipe", "pipe"] }), "exit");
        }
      }),
    );
    return count / ((performance.now() - from) / 1000);
  };
  const quick = [];
  for (let i = 0; i < count; i++) quick.push(await agent("/bin/true", []));
  const ours = async () => {
    const from = performance.now();
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        for (let i = n; i < count; i += 8) await invoke(quick[i]);
      }),
    );
    await idle();
    return count / ((performance.now() - from) / 1000);
  };
  const rates = [];
  for (let i = 0; i < 3; i++) rates.push([await bare(), await ours()]);
  console.log(
    `runs per second, woken by request, whole run: ${rates.map(([b, o]) => `${o.toFixed(0)} (bare spawn ${b.toFixed(0)})`).join(", ")}`,
  );

  const memory = async (field) =>
    Number(
      new RegExp(`${field}:\\s+(\\d+) kB`).exec(await readFile(`/proc/${service.pid}/status`, "utf8"))[1],
    ) / 1024;
  const rest = await memory("VmRSS");
  const chatty = [];
  for (let i = 0; i < 50; i++)
    chatty.push(await agent(process.execPath, [hostile, "flood:8", "wait:2000", "flood:8"]));
  let peak = 0;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await memory("VmRSS"));
  }, 100);
  const from = performance.now();
  for (const id of chatty) await invoke(id);
  await idle();
  clearInterval(watch);
  console.log(
    `50 chatty runs, 16 MB each: ${rest.toFixed(0)} MB at rest, ${peak.toFixed(0)} MB at most, ${((performance.now() - from) / 1000).toFixed(0)} s`,
  );
} finally {
  service.kill("SIGTERM");
  await once(service, "exit");
  await rm(folder, { recursive: true, force: true });
}
