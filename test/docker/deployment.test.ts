import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { chmod, chown, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { where } from "../support/agent-image.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { makeNodeImage, type Podman, podmanIn } from "./podman.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/** The commands of the docs for one way of deployment. */
const walkOf = (way: string): string => {
  const page = readFileSync(join(root, "docs/deployment.md"), "utf8");
  return new RegExp(`<!-- walk: ${way} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
};

const isPossible = process.getuid?.() === 0 && where("podman") !== null && where("debootstrap") !== null;

describe.runIf(isPossible)("The image", () => {
  let folder: string;
  let podman: Podman;
  let port: number;
  let link: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "br-deployment-"));
    podman = podmanIn(folder);
    port = await freePort();
    await makeNodeImage(podman, folder);
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", walk()], {
      cwd: root,
      env: podman.env,
      maxBuffer: 64 * 1024 * 1024,
    });
    link = stdout.trim().split("\n").at(-1)!;
  }, 1_800_000);
  afterAll(() => podman?.close());
  afterEach(async () => {
    await podman.docker("rm", "--force", "--ignore", "other");
  });

  const walk = () => walkOf("docker").replace("127.0.0.1:3100:3100", `127.0.0.1:${port}:3100`);

  /** Starts the image once more, and returns its address once it answers. */
  const start = async (args: readonly string[], program: readonly string[] = []) => {
    const at = await freePort();
    await podman.docker(
      "run",
      "-d",
      "--name",
      "other",
      "-p",
      `127.0.0.1:${at}:3100`,
      ...args,
      "boardroom",
      ...program,
    );
    return answering(`http://127.0.0.1:${at}`);
  };
  const answering = async (url: string) => {
    await eventually(
      async () => (await fetch(`${url}/api/health`).catch(() => null))?.status ?? 0,
      (status) => status === 200,
    );
    return url;
  };
  const stop = async (name: string) => {
    await podman.docker("stop", "--time", "70", name);
    return podman.docker("inspect", name, "--format", "{{.State.ExitCode}}");
  };
  const volume = async (owner: number, group: number, mode: number) => {
    const path = mkdtempSync(join(folder, "volume-"));
    await chown(path, owner, group);
    await chmod(path, mode);
    return path;
  };

  it("starts as the docs say, and its link signs a person in", async () => {
    const code = /#code=(.+)$/.exec(link)![1];
    const answer = await fetch(`http://127.0.0.1:${port}/api/session/code`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: `http://127.0.0.1:${port}` },
      body: JSON.stringify({ code }),
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("set-cookie")).toContain("HttpOnly");
  });

  it("is smaller than 350 MB, names its packages and checks its own health", async () => {
    expect(
      Number(await podman.docker("image", "inspect", "boardroom", "--format", "{{.Size}}")),
    ).toBeLessThan(350e6);
    const label = '{{index .Config.Labels "io.boardroom.sbom"}}';
    const sbom = await podman.docker("image", "inspect", "boardroom", "--format", label);
    const { components } = JSON.parse(await podman.docker("exec", "boardroom", "cat", sbom)) as {
      components: readonly { name: string }[];
    };
    const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    // A folder of the checkout.
    delete dependencies["uWebSockets.js"];
    expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    await podman.docker("healthcheck", "run", "boardroom");
  });

  it("keeps its data in the volume and ends with 0", async () => {
    const token = () => podman.docker("exec", "boardroom", "cat", "/data/board-token");
    const before = await token();
    expect(await stop("boardroom")).toBe("0");
    await podman.docker("start", "boardroom");
    await answering(`http://127.0.0.1:${port}`);
    expect(await token()).toBe(before);
  });

  it.each<[string, readonly string[], () => Promise<readonly string[]>]>([
    [
      "on a read-only system without rights",
      ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
      async () => [],
    ],
    [
      "as a user without an entry in /etc/passwd",
      ["--user", "12345:0"],
      async () => ["-v", `${await volume(12_345, 0, 0o700)}:/data`],
    ],
    ["with files that everybody may read by default", ["--umask", "0000"], async () => []],
    ["with little shared memory", ["--shm-size", "64k"], async () => []],
    ["as process 1", ["--entrypoint", "boardroom"], async () => []],
    [
      "on a volume of a group",
      ["--group-add", "2000"],
      async () => ["-v", `${await volume(0, 2_000, 0o2775)}:/data`],
    ],
    [
      "on a fresh file system",
      [],
      async () => {
        const path = await volume(1_000, 1_000, 0o755);
        await mkdir(join(path, "lost+found"), { mode: 0o700 });
        return ["-v", `${path}:/data`];
      },
    ],
  ])("starts and ends with 0 %s", async (_, args, more) => {
    const program = args.includes("--entrypoint") ? ["serve"] : [];
    await start([...args, ...(await more())], program);
    expect(await stop("other")).toBe("0");
  });

  it("says which folder it may not write to", async () => {
    mkdirSync(join(folder, "of-root"), { mode: 0o755 });
    const failed = await podman
      .docker("run", "--name", "other", "-v", `${join(folder, "of-root")}:/data`, "boardroom")
      .then(
        () => "started",
        ({ stderr }: { stderr: string }) => stderr,
      );
    expect(failed).toContain("The data directory /data cannot be used");
  });
});
