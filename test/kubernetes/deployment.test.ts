import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { archiveOfImages, imageName, versions } from "../docker/checkout-image.ts";
import { where } from "../support/agent-image.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";
import { inLab, labFolder, machineAddress } from "./lab.ts";

// `npm run test:kubernetes`: the commands of the docs on the lab's node. It enforces no network policy.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 1_800_000 });

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs/deployment.md"), "utf8");
const walkOf = (way: string) =>
  new RegExp(`<!-- walk: ${way} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;

const isPossible = ["podman", "debootstrap", "dnsmasq"].every((name) => where(name) !== null);

describe.runIf(isPossible)("deploy/kubernetes", () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let services: ChildProcess;
  let s3: S3Server;
  let forwarder: ChildProcess;

  const kubectl = async (...args: readonly string[]) =>
    (await run(join(folder, "bin/kubectl"), args, { cwd: folder, env })).stdout.trim();
  const walk = async (commands: string) =>
    (await run("bash", ["-euo", "pipefail", "-c", commands], { cwd: folder, env })).stdout.trim();
  const rolledOut = () =>
    kubectl("--namespace", "boardroom", "rollout", "status", "statefulset/boardroom", "--timeout", "5m");
  const inPod = (...args: readonly string[]) =>
    kubectl("--namespace", "boardroom", "exec", "boardroom-0", "--", ...args);
  const tag = (version: string) => {
    for (const name of ["", "postgresql/"]) {
      const file = join(folder, `deploy/kubernetes/${name}kustomization.yaml`);
      writeFileSync(file, readFileSync(file, "utf8").replace(/newTag: "[^"]*"/, `newTag: "${version}"`));
    }
  };
  const removeAll = async () => {
    const names = ["namespace", "boardroom", "boardroom-agents", "database"];
    await kubectl("delete", "--ignore-not-found", ...names, "--timeout", "5m");
  };
  /** Returns what became of the requests and runs while the deployment changed. */
  const underLoad = async (mode: "once" | "repeat", change: () => Promise<void>) => {
    const address = await kubectl(
      "--namespace",
      "boardroom",
      "get",
      "service",
      "boardroom",
      "-o",
      "jsonpath={.spec.clusterIP}",
    );
    const token = await inPod("cat", "/data/board-token");
    const program = [join(root, "test/docker/load.mjs"), `http://${address}:3100`, token, mode];
    const load = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: load.stdout });
    const printed: string[] = [];
    lines.on("line", (line) => printed.push(line));
    await once(lines, "line");
    await change();
    load.kill("SIGTERM");
    await once(load, "exit");
    const result = JSON.parse(printed.at(-1)!);
    console.log(result);
    expect(result.requests).toBeGreaterThan(100);
    return result;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "br-deployment-"));
    const archive = await archiveOfImages();
    mkdirSync(join(folder, "bin"));
    // Kubernetes 1.20 has budgets under their former version; the images are on the node already.
    writeFileSync(
      join(folder, "bin/kubectl"),
      `#!/bin/sh
if [ "$1 $2" = "apply -k" ]; then
  ${where("kubectl")} kustomize "$3" | sed 's#^apiVersion: policy/v1$#apiVersion: policy/v1beta1#' | ${where("kubectl")} apply -f -
  exit
fi
exec ${where("kubectl")} "$@"
`,
    );
    writeFileSync(join(folder, "bin/docker"), "#!/bin/sh\n");
    for (const name of ["kubectl", "docker"]) chmodSync(join(folder, "bin", name), 0o755);
    env = {
      ...process.env,
      KUBECONFIG: join(labFolder, "admin.kubeconfig"),
      PATH: [join(folder, "bin"), process.env.PATH].join(delimiter),
    };
    cpSync(join(root, "deploy"), join(folder, "deploy"), { recursive: true });
    copyFileSync(archive, join(labFolder, "images.tar"));
    inLab("ctr", "-n", "k8s.io", "images", "import", "/run/lab/images.tar");
    rmSync(join(labFolder, "images.tar"));
    inLab(
      "ctr",
      "-n",
      "k8s.io",
      "images",
      "tag",
      "--force",
      "localhost/agent:1",
      "registry.example.com/agents:1",
    );
    execFileSync("ip", ["route", "replace", "10.96.0.0/24", "via", "10.77.0.1", "dev", "lab-host"]);
    const program = [join(root, "test/kubernetes/lab-services.mjs"), labFolder];
    services = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
    await once(services.stdout!, "data");
    await removeAll();
    s3 = await startS3("boardroom");
    // Pods reach this machine by its address on the lab's network.
    const forward = `const { connect, createServer } = require("node:net");
      createServer((socket) => {
        const other = connect(Number(process.argv[1]), "127.0.0.1");
        for (const [one, two] of [[socket, other], [other, socket]]) one.on("error", () => two.destroy()).pipe(two);
      }).listen(0, "${machineAddress}", function () { console.log(this.address().port); });`;
    forwarder = spawn(process.execPath, ["-e", forward, new URL(s3.url).port], {
      stdio: ["ignore", "pipe", "inherit"],
    });
  });
  afterAll(async () => {
    await removeAll();
    services?.kill("SIGTERM");
    forwarder?.kill("SIGKILL");
    await s3?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("starts one replica as the docs show, with agents in pods by the rights of its role", async () => {
    const printed = await walk(walkOf("kubernetes"));
    expect(printed).toContain("pod_ran");
    expect(printed).toContain("service_reachable");
    expect(printed.split("\n").at(-1)).toMatch(/#code=.+$/);
    expect(await inPod("sh", "-c", "cat /data/database/cluster/PG_VERSION; id -u")).toMatch(/^\d+\n1000$/);
    const may = (verb: string, what: string, namespace: string) =>
      kubectl(
        "auth",
        "can-i",
        verb,
        what,
        "--namespace",
        namespace,
        "--as",
        "system:serviceaccount:boardroom:boardroom",
      ).catch(() => "no");
    expect(await may("create", "pods", "boardroom-agents")).toBe("yes");
    expect(await may("get", "secrets", "boardroom-agents")).toBe("no");
    expect(await may("create", "pods", "boardroom")).toBe("no");
  });

  it("upgrades one replica: requests that are repeated are carried out once, and runs continue as the same", async () => {
    const result = await underLoad("repeat", async () => {
      tag(versions[1]);
      await kubectl("apply", "-k", "deploy/kubernetes");
      await rolledOut();
    });
    expect(result).toMatchObject({
      lost: [],
      twice: [],
      issues: ["done", "done"],
      runs: ["succeeded", "succeeded"],
    });
    const image = "jsonpath={.spec.containers[0].image}";
    expect(await kubectl("--namespace", "boardroom", "get", "pod", "boardroom-0", "-o", image)).toBe(
      `${imageName}:${versions[1]}`,
    );
  });

  it("upgrades two replicas on a server and goes back, without a failed request or an interrupted run", async () => {
    await removeAll();
    tag(versions[0]);
    await kubectl("create", "namespace", "database");
    const variables = ["POSTGRES_USER=boardroom", "POSTGRES_DB=boardroom", "POSTGRES_PASSWORD=PASSWORD"];
    await kubectl(
      ...["--namespace", "database", "run", "database", "--image", "docker.io/library/postgres:18"],
      ...variables.flatMap((each) => ["--env", each]),
    );
    await kubectl(
      "--namespace",
      "database",
      "wait",
      "--for=condition=Ready",
      "pod/database",
      "--timeout",
      "2m",
    );
    const address = await kubectl(
      "--namespace",
      "database",
      "get",
      "pod",
      "database",
      "-o",
      "jsonpath={.status.podIP}",
    );
    const port = await new Promise<string>((resolve) =>
      forwarder.stdout!.once("data", (line) => resolve(`${line}`.trim())),
    );
    await walk(
      walkOf("kubernetes with a server")
        .replace("db.example.com", address)
        .replace(
          "--from-literal=SERVICE_S3_BUCKET",
          `--from-literal=SERVICE_S3_ENDPOINT=http://${machineAddress}:${port} $&`,
        ),
    );
    const result = await underLoad("once", async () => {
      tag(versions[1]);
      await kubectl("apply", "-k", "deploy/kubernetes/postgresql");
      await rolledOut();
      await kubectl("--namespace", "boardroom", "rollout", "undo", "statefulset/boardroom");
      await rolledOut();
    });
    expect(result).toMatchObject({
      ...{ failures: 0, lost: [], twice: [] },
      ...{ issues: ["done", "done"], runs: ["succeeded", "succeeded"] },
    });
    expect(s3.objects.size).toBeGreaterThan(0);
    const budget = "jsonpath={.status.disruptionsAllowed}";
    await expect
      .poll(() => kubectl("--namespace", "boardroom", "get", "pdb", "boardroom", "-o", budget))
      .toBe("1");
  });
});
