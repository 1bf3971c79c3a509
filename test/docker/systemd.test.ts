import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { where } from "../support/agent-image.ts";
import { eventually } from "../support/eventually.ts";
import { archiveOfImages, imageName, versions } from "./checkout-image.ts";
import { type Podman, podmanIn } from "./podman.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const isPossible = process.getuid?.() === 0 && where("podman") !== null && where("debootstrap") !== null;

/** A Debian with systemd; npm has installed the package globally in the image that it is made of. */
const machineFile = `FROM ${imageName}:${versions[0]}
USER root
RUN apt-get update && apt-get install --yes --no-install-recommends systemd systemd-sysv dbus iptables procps
RUN ln -s /opt/boardroom/bin/boardroom /usr/local/bin/boardroom
ENV HOST= SERVICE_DATA_DIR=
ENTRYPOINT []
CMD ["/lib/systemd/systemd"]
`;

/**
 * `npm run test:docker`: the unit and the commands of the docs under a real systemd, the first process of a container. Machines
 * with control groups of version 1 do not show how the limits of runs survive a restart.
 */
describe.runIf(isPossible)("deploy/systemd/boardroom.service", () => {
  let podman: Podman;
  const onMachine = (script: string) => podman.docker("exec", "machine", "bash", "-euc", script);
  const show = (property: string) => onMachine(`systemctl show boardroom --property ${property} --value`);
  const answers = () =>
    eventually(
      () => onMachine("SERVICE_DATA_DIR=/var/lib/boardroom boardroom system health").catch(() => ""),
      (health) => health.includes("ok"),
      { withinMs: 120_000 },
    );

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "br-systemd-"));
    const archive = await archiveOfImages();
    podman = podmanIn(folder);
    await podman.docker("load", "--input", archive);
    const files = join(folder, "machine");
    mkdirSync(files);
    writeFileSync(join(files, "Dockerfile"), machineFile);
    await podman.docker("build", "--tag", "machine", files);
    const options = ["--systemd=always", "--privileged", "--network", "none", "--name", "machine"];
    await podman.docker("run", "--detach", ...options, "machine");
    await eventually(
      () => onMachine("systemctl is-system-running || true"),
      (state) => state === "running" || state === "degraded",
      { withinMs: 120_000 },
    );
    for (const each of ["deploy", "test/docker/load.mjs"])
      await podman.docker("cp", join(root, each), "machine:/root/");
    const page = readFileSync(join(root, "docs/deployment.md"), "utf8");
    const walk = /<!-- walk: systemd -->\n```sh\n([\s\S]*?)```/.exec(page)![1]!;
    // The machine has no network.
    const printed = await onMachine(`cd /root; ${walk.replace(/^npm install .*$/m, "")}`);
    expect(printed.split("\n").at(-1)).toMatch(/#code=.+$/);
  }, 1_800_000);
  afterAll(() => podman?.close());

  it("separates agents, stores its data below /var/lib for itself alone, and writes to the journal", async () => {
    const log = await onMachine("journalctl --unit boardroom --output cat");
    expect(log).toContain("boardroom listening on http://127.0.0.1:3100");
    expect(log).toContain("agents are separated from the service");
    // Agents' users pass through it to their homes; they list and read nothing in it.
    expect(await onMachine("stat --format %a /var/lib/boardroom")).toBe("710");
  });

  it("continues each run as the same over a restart and a crash, and loses no request that is repeated", async () => {
    // In place of its shell, which the signal below would end instead.
    const load =
      "exec node /root/load.mjs http://127.0.0.1:3100 $(cat /var/lib/boardroom/board-token) repeat >/root/load.log";
    await podman.docker("exec", "--detach", "machine", "bash", "-c", load);
    const printed = () => onMachine("cat /root/load.log");
    await eventually(printed, (text) => text.startsWith("loaded"), { withinMs: 240_000 });
    const first = await show("MainPID");
    await onMachine("systemctl restart boardroom");
    const second = await show("MainPID");
    expect(second).not.toBe(first);
    await answers();
    await onMachine(`kill -KILL ${second}`);
    await eventually(
      () => show("NRestarts"),
      (times) => times === "1",
    );
    await answers();
    await onMachine("pkill --oldest --full load.mjs");
    const lines = await eventually(printed, (text) => text.includes("{"), { withinMs: 240_000 });
    const result = JSON.parse(lines.split("\n").at(-1)!);
    console.log(result);
    expect(result).toMatchObject({
      lost: [],
      twice: [],
      issues: ["done", "done"],
      runs: ["succeeded", "succeeded"],
    });
  }, 1_200_000);

  it("stops programs of agents at SIGINT, and stays stopped", async () => {
    await onMachine("systemctl kill --kill-whom=main --signal=SIGINT boardroom");
    await eventually(
      () => show("ActiveState"),
      (state) => state === "inactive",
      { withinMs: 120_000 },
    );
    expect(await onMachine("pgrep --full '[h]older-program' || true")).toBe("");
  });
});
