import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cache, kubectl, labFolder } from "./lab.ts";

/** A second node of the lab, with its own network, mounts, processes, containerd and kubelet. */
export interface SecondNode {
  readonly name: string;
  /** A command in its namespaces. */
  readonly run: (...args: readonly string[]) => string;
  readonly close: () => Promise<void>;
}

const name = "lab2";
const network = "boardroom-lab2";
const labNetwork = "boardroom-lab";
const address = "10.77.2.2";
const pods = "10.77.3.0/24";

/** Process 1 of its namespaces: the lab's `inside` without what the cluster has once. Arguments: folder, lab's folder, cache. */
const inside = `
set -euo pipefail
cd "$1"
mkdir -p bin images pki log lib/kubelet pid
mount --bind "$2/pki" pki
for each in bin images; do mount --bind "$3/$each" $each; done
cp -r "$2/config" "$2/admin.kubeconfig" .
sed -i 's#10.77.1.0/24#${pods}#' config/cni/10-bridge.conflist
echo 'cgroupRoot: /${name}' >> config/kubelet.yaml
mount -t tmpfs tmpfs /run
mkdir /run/lab
mount --rbind . /run/lab
cd /run/lab
mount --bind log /var/log
mount --bind lib /var/lib
for s in kernel/panic kernel/panic_on_oops vm/overcommit_memory vm/panic_on_oom kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  mkdir -p "/run/sysctl/\${s%/*}"
  cat "/proc/sys/$s" > "/run/sysctl/$s"
  mount --bind "/run/sysctl/$s" "/proc/sys/$s"
done
for each in /sys/fs/cgroup/*/; do mkdir -p "\${each}${name}"; done
for s in cpus mems; do cat /sys/fs/cgroup/cpuset/cpuset.$s > /sys/fs/cgroup/cpuset/${name}/cpuset.$s; done
containerd -c config/containerd.toml >> log/containerd.log 2>&1 &
until ctr version > /dev/null 2>&1; do sleep 0.2; done
for image in pause agent; do ctr -n k8s.io images import "images/$image.tar"; done
bin/kubelet --kubeconfig=admin.kubeconfig --config=config/kubelet.yaml --root-dir=/var/lib/kubelet --cert-dir=/var/lib/kubelet/pki \
  --hostname-override=${name} --node-ip=${address} --pod-infra-container-image=localhost/pause:1 \
  --container-runtime=remote --container-runtime-endpoint=unix:///run/containerd/containerd.sock >> log/kubelet.log 2>&1 &
echo $! > pid/kubelet
wait
`;

/** The kernel takes its time to end the processes of a namespace. */
const removeGroups = async (): Promise<void> => {
  const groups = `find /sys/fs/cgroup -depth -type d -path '*/${name}*' -exec rmdir {} +`;
  for (let tries = 0; tries < 100; tries += 1) {
    if (spawnSync("sh", ["-c", groups]).status === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Processes of ${name} do not end.`);
};

const ip = (...args: readonly string[]) => execFileSync("ip", args, { stdio: "pipe" });

export const openSecondNode = async (): Promise<SecondNode> => {
  // Not on an overlay, as the lab's.
  const folder = mkdtempSync(join(tmpdir(), "br-node-"));
  ip("netns", "add", network);
  ip("-n", network, "link", "set", "lo", "up");
  ip("-n", labNetwork, "link", "add", "lab2", "type", "veth", "peer", "name", "eth0", "netns", network);
  ip("-n", labNetwork, "addr", "add", "10.77.2.1/30", "dev", "lab2");
  ip("-n", labNetwork, "link", "set", "lab2", "up");
  ip("-n", labNetwork, "route", "add", pods, "via", address);
  ip("-n", network, "addr", "add", `${address}/30`, "dev", "eth0");
  ip("-n", network, "link", "set", "eth0", "up");
  ip("-n", network, "route", "add", "10.77.0.0/23", "via", "10.77.2.1");
  // To the lab's end of the pair, and to pods from this machine.
  ip("route", "add", "10.77.2.0/23", "via", "10.77.0.1");
  const space = `--net=/run/netns/${network}`;
  execFileSync("nsenter", [space, "sysctl", "-qw", "net.ipv4.ip_forward=1"]);
  const log = openSync(join(folder, "inside.log"), "a");
  const script = join(folder, "inside");
  writeFileSync(script, inside);
  const unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const node = spawn(
    "nsenter",
    [space, ...unshare, "nice", "-n", "10", "bash", script, folder, labFolder, cache],
    {
      stdio: ["ignore", log, log],
    },
  );
  const ended = once(node, "exit");
  const children = () => readFileSync(`/proc/${node.pid}/task/${node.pid}/children`, "utf8").trim();
  return {
    name,
    run: (...args) => execFileSync("nsenter", ["-t", children(), "-n", "-m", "-p", ...args]).toString(),
    close: async () => {
      kubectl("delete", "node", name, "--ignore-not-found");
      // Process 1 of its namespace: the pods and mounts go with it.
      node.kill("SIGKILL");
      await ended;
      ip("netns", "delete", network);
      ip("route", "delete", "10.77.2.0/23");
      await removeGroups();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    },
  };
};
