// Services and names for the lab, which has neither: forwards the addresses of Services as kube-proxy does, and resolves their names as the
// cluster's DNS does. Arguments: the lab's folder. Prints "up", and works until it is killed.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const inLab = ["-t", readFileSync(join(folder, "lab.pid"), "utf8").trim(), "-n", "-m"];
const config = readFileSync(join(folder, "admin.kubeconfig"), "utf8");
const [, host, port] = /server: "https:\/\/([\d.]+):(\d+)"/.exec(config);
const api = {
  host,
  port,
  ca: Buffer.from(/certificate-authority-data: (\S+?)\}/.exec(config)[1], "base64"),
  headers: { authorization: `Bearer ${/token: (\w+)/.exec(config)[1]}` },
};

/** The objects of each kind, by namespace and name. */
const objects = { services: new Map(), endpoints: new Map() };

const rules = () => {
  const lines = ["*nat", ":BOARDROOM-SERVICES - [0:0]"];
  for (const [name, { spec }] of objects.services) {
    if (!spec.clusterIP || spec.clusterIP === "None") continue;
    for (const { port: from, name: portName } of spec.ports) {
      const targets = (objects.endpoints.get(name)?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
        addresses.flatMap(({ ip }) =>
          ports.filter((each) => each.name === portName).map((each) => `${ip}:${each.port}`),
        ),
      );
      const to = `-A BOARDROOM-SERVICES -d ${spec.clusterIP}/32 -p tcp --dport ${from}`;
      targets.forEach((target, at) => {
        const left = targets.length - at;
        const share = left > 1 ? `-m statistic --mode nth --every ${left} --packet 0 ` : "";
        lines.push(`${to} ${share}-j DNAT --to-destination ${target}`);
      });
    }
  }
  return [...lines, "COMMIT", ""].join("\n");
};

/** Names that dnsmasq reads again at SIGHUP: those of Services as the cluster has them. */
const names = () =>
  [...objects.services]
    .filter(([, { spec }]) => spec.clusterIP && spec.clusterIP !== "None")
    .map(([name, { spec }]) => {
      const [namespace, service] = name.split("/");
      const base = `${service}.${namespace}.svc`;
      return `${spec.clusterIP} ${base} ${base}.cluster.local\n`;
    })
    .join("");

let dns;
let latest = "";
const update = () => {
  const next = rules();
  if (next === latest) return;
  latest = next;
  execFileSync("nsenter", [...inLab, "iptables-restore", "--noflush"], { input: next });
  writeFileSync(join(folder, "service-names"), names());
  dns?.kill("SIGHUP");
};

const watch = (kind) =>
  new Promise((ready) => {
    const follow = () => {
      const from = `/api/v1/${kind}`;
      const list = request({ ...api, path: from }, (answer) => {
        let text = "";
        answer.on("data", (chunk) => (text += chunk));
        answer.on("end", () => {
          const { items, metadata } = JSON.parse(text);
          objects[kind] = new Map(
            items.map((each) => [`${each.metadata.namespace}/${each.metadata.name}`, each]),
          );
          update();
          ready();
          const path = `${from}?watch=1&resourceVersion=${metadata.resourceVersion}`;
          const stream = request({ ...api, path }, (events) => {
            let rest = "";
            events.on("data", (chunk) => {
              const lines = (rest + chunk).split("\n");
              rest = lines.pop();
              for (const { type, object } of lines.map((line) => JSON.parse(line))) {
                const name = `${object.metadata?.namespace}/${object.metadata?.name}`;
                if (type === "DELETED") objects[kind].delete(name);
                else if (type !== "ERROR") objects[kind].set(name, object);
              }
              update();
            });
            events.on("close", follow);
          });
          stream.on("error", () => setTimeout(follow, 500));
          stream.end();
        });
      });
      list.on("error", () => setTimeout(follow, 500));
      list.end();
    };
    follow();
  });

execFileSync("nsenter", [...inLab, "iptables-restore", "--noflush"], {
  input: `*nat
:BOARDROOM-SERVICES - [0:0]
-A PREROUTING -j BOARDROOM-SERVICES
-A OUTPUT -j BOARDROOM-SERVICES
-A POSTROUTING -m conntrack --ctstate DNAT -s 10.77.1.0/24 -j MASQUERADE
COMMIT
`,
});
await Promise.all([watch("services"), watch("endpoints")]);
// The kubelet copies this file into each pod that it starts.
const search = "search boardroom.svc.cluster.local svc.cluster.local cluster.local";
writeFileSync(join(folder, "config/resolv.conf"), `nameserver ${host}\n${search}\n`);
dns = spawn(
  "nsenter",
  [
    ...inLab,
    ...[
      "dnsmasq",
      "--keep-in-foreground",
      "--conf-file=/dev/null",
      "--no-resolv",
      "--no-hosts",
      "--user=root",
    ],
    ...[`--listen-address=${host}`, "--bind-interfaces", "--addn-hosts=/run/lab/service-names"],
    ...["--pid-file=/run/lab/dnsmasq.pid", "--local=/local/", "--local=/svc/"],
  ],
  { stdio: ["ignore", "inherit", "inherit"] },
);
for (const signal of ["SIGTERM", "SIGINT", "exit"])
  process.on(signal, () => {
    dns.kill("SIGKILL");
    if (signal !== "exit") process.exit(0);
  });
console.log("up");
