// Times a newcomer's way from `git clone` to a decided approval, in a real browser: `node scripts/time-newcomer.mjs [repository]`.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const execute = promisify(execFile);
const repository = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
const folder = await mkdtemp(join(tmpdir(), "boardroom-newcomer-"));
const checkout = join(folder, "boardroom");
const env = { ...process.env, PORT: "0", SERVICE_DATA_DIR: join(folder, "data") };

const took = [];
const part = async (name, work) => {
  const begun = performance.now();
  const result = await work();
  took.push([name, (performance.now() - begun) / 1000]);
  return result;
};

/** Starts the service in a terminal of its own, because it prints its link only to one. */
const start = async () => {
  const service = spawn("script", ["-qfec", "npm start", "/dev/null"], {
    cwd: checkout,
    env,
    detached: true,
  });
  let output = "";
  const link = await new Promise((resolve, reject) => {
    service.stdout.on("data", (text) => {
      output += text;
      const [url] = /https?:\S+#code=[\w-]+/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
    service.once("exit", () => reject(new Error(output)));
  });
  return { service, link };
};

const stop = async (service) => {
  const ended = new Promise((resolve) => service.once("exit", resolve));
  process.kill(-service.pid, "SIGINT");
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 20_000))]);
};

let service = null;
let browser = null;
try {
  await part("git clone", () => execute("git", ["clone", "--quiet", repository, checkout]));
  await part("npm ci", () => execute("npm", ["ci", "--silent"], { cwd: checkout, maxBuffer: 2 ** 26 }));
  const started = await part("npm start, to its link", start);
  service = started.service;
  browser = await part("the browser itself", () => chromium.launch({ executablePath: "/usr/bin/chromium" }));
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const button = (name) => page.getByRole("button", { name });
  await part("the link, to the first screen", async () => {
    await page.goto(started.link);
    await page.getByLabel("Name of the company").waitFor();
  });
  await part("a company", async () => {
    await page.getByLabel("Name of the company").fill("Harbour Works");
    await button("Found company").click();
    await button("Test and hire").waitFor();
  });
  await part("an agent, tested and hired", async () => {
    await button("Test and hire").click();
    await button(/^Give it to Ada/).waitFor();
  });
  await part("its first issue, to its answer", async () => {
    await button(/^Give it to Ada/).click();
    await page.getByText("that is all this sample can do").waitFor();
  });
  await part("an approval, proposed and decided", async () => {
    const { origin } = new URL(page.url());
    const hire = ["boardroom", "--url", origin, "approvals", "hire", "--name", "Bob", "--role", "engineer"];
    await execute("npx", hire, { cwd: checkout, env });
    await page
      .getByRole("link", { name: /^Inbox/ })
      .first()
      .click();
    const entry = page.getByRole("listitem").filter({ hasText: "Bob" });
    await entry.getByRole("button", { name: "Approve" }).click();
    await entry.waitFor({ state: "detached" });
  });
} finally {
  await browser?.close();
  if (service !== null) await stop(service);
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
}
const total = took.reduce((sum, [, seconds]) => sum + seconds, 0);
for (const [name, seconds] of [...took, ["together", total]])
  process.stdout.write(`${name.padEnd(36)}${seconds.toFixed(1).padStart(8)} s\n`);
process.stdout.write(`load of the machine, one minute: ${loadavg()[0].toFixed(1)}\n`);
