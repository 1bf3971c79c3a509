import { existsSync, readdirSync, readFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { cluster } from "../../adapters-infra/kubernetes/cluster.ts";
import type { EngineHttp } from "../../adapters-infra/runner-helper/engine-http.ts";
import { settings } from "../../hosts/composition/settings.ts";
import { kindOfAddress, neverSubnets } from "../../plugins/kit/address-kind.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const page = read("docs/deployment.md");
const dockerfile = read("deploy/Dockerfile");

/** After SIGTERM a service ends at the latest after this time, as docs/operations.md says. */
const endsWithinSec = Number(/ends at the latest (\d+) seconds/.exec(read("docs/operations.md"))![1]);

const isSetting = (name: string) =>
  name in settings.shape || /^(?:PG|AWS_)[A-Z_]+$/.test(name) || name === "PATH";

// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind.
type Yaml = any;

describe("deploy/compose.yaml", () => {
  const text = read("deploy/compose.yaml");
  const { services, volumes } = parse(text) as Yaml;

  it("sets only settings that exist", () => {
    expect(Object.keys(services.boardroom.environment).filter((name) => !isSetting(name))).toEqual([]);
  });

  it("has the port, the folders and the time to end of the image", () => {
    const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile)!;
    expect(services.boardroom.ports).toEqual([`\${BOARDROOM_LISTEN:-127.0.0.1:${port}}:${port}`]);
    const [, folder] = /^VOLUME (\S+)$/m.exec(dockerfile)!;
    expect(services.boardroom.volumes).toEqual([`data:${folder}`]);
    expect(Object.keys(volumes).sort()).toEqual(["data", "database", "objects"]);
    expect(Number.parseInt(services.boardroom.stop_grace_period, 10)).toBeGreaterThan(endsWithinSec);
  });

  it("names each variable that it demands in the docs", () => {
    for (const [, name] of text.matchAll(/\$\{([A-Z_]+):\?/g)) expect(page).toContain(`${name}=`);
    for (const [, name] of text.matchAll(/\$\{(BOARDROOM_[A-Z_]+)/g)) expect(page).toContain(name);
  });
});

describe("deploy/systemd/boardroom.service", () => {
  const unit = read("deploy/systemd/boardroom.service");
  const values = (key: string) =>
    [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value]) => value!);

  it("sets only settings that exist, and stores its data in the folder that systemd makes", () => {
    const environment = Object.fromEntries(values("Environment").map((each) => each.split("=")));
    expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([]);
    expect(environment.SERVICE_DATA_DIR).toBe(`/var/lib/${values("StateDirectory")[0]}`);
    expect(settings.parse(environment).SERVICE_HANDOVER_SEC).toBeGreaterThan(0);
  });

  it("leaves programs of agents to the next service, and gives this one the time that it may take", () => {
    expect(values("KillMode")).toEqual(["process"]);
    expect(values("Delegate")).toEqual(["yes"]);
    // Seen with systemd 252 and control groups of version 2: without it, a restart while programs continue fails with 219/CGROUP.
    expect(values("ExecStopPost")[0]).toMatch(
      /for each in \/boardroom-runs "";.*"-memory -pids" > .*%n\$\$each/,
    );
    expect(Number(values("TimeoutStopSec")[0])).toBeGreaterThan(endsWithinSec);
  });
});

describe("deploy/kubernetes", () => {
  const kustomizations = ["", "base/", "postgresql/"].map((folder) => `deploy/kubernetes/${folder}`);
  const manifests = (path: string): Yaml[] =>
    parseAllDocuments(read(path)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS();
    });
  const all = readdirSync(join(root, "deploy/kubernetes"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yaml") && !name.endsWith("kustomization.yaml"))
    .flatMap((name) => manifests(`deploy/kubernetes/${name}`));
  const one = (kind: string, name: string, fits: (object: Yaml) => boolean = () => true): Yaml =>
    all.find((each) => each.kind === kind && each.metadata.name === name && fits(each));
  const set = one("StatefulSet", "boardroom", ({ spec }) => spec.serviceName !== undefined);
  const replicas = one("StatefulSet", "boardroom", ({ spec }) => spec.serviceName === undefined);
  const container = set.spec.template.spec.containers[0];

  it("lists each manifest in a kustomization", () => {
    for (const folder of kustomizations) {
      const {
        resources = [],
        patches = [],
        images = [],
      } = parse(read(`${folder}kustomization.yaml`)) as Yaml;
      const named: string[] = [...resources, ...patches.map(({ path }: Yaml) => path)];
      for (const name of named) expect(existsSync(join(root, folder, name)), name).toBe(true);
      const there = readdirSync(join(root, folder)).filter((name) => name.endsWith(".yaml"));
      expect(there.sort()).toEqual(
        [...named.filter((name) => name.endsWith(".yaml")), "kustomization.yaml"].sort(),
      );
      for (const { name } of images) expect(name).toBe(container.image);
    }
  });

  it("sets only settings that exist, in the pod and in the Secret of the docs", () => {
    const names: string[] = [container, replicas.spec.template.spec.containers[0]].flatMap(({ env }: Yaml) =>
      env.map(({ name }: Yaml) => name),
    );
    const literals = [...page.matchAll(/--from-literal=([A-Z_0-9]+)=/g)].map(([, name]) => name!);
    expect(literals).toContain("DATABASE_URL");
    expect([...names, ...literals].filter((name) => !isSetting(name))).toEqual([]);
  });

  it("gives a pod the time in which it drains and ends", () => {
    const drain = replicas.spec.template.spec.containers[0].env.find(
      ({ name }: Yaml) => name === "SERVICE_DRAIN_SEC",
    );
    expect(set.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
      Number(drain.value) + endsWithinSec,
    );
  });

  it("asks the image's port, stores in its volume, and leaves out every right", () => {
    const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile)!;
    const [, folder] = /^VOLUME (\S+)$/m.exec(dockerfile)!;
    expect(container.ports).toEqual([{ name: "http", containerPort: Number(port) }]);
    expect(one("Service", "boardroom").spec.ports[0].port).toBe(Number(port));
    const [claim] = set.spec.volumeClaimTemplates;
    expect(container.volumeMounts).toContainEqual({ name: claim.metadata.name, mountPath: folder });
    // Only what asks for HTML gets the page.
    for (const probe of ["startupProbe", "livenessProbe"])
      expect(container[probe].httpGet).toMatchObject({
        path: "/",
        httpHeaders: [{ name: "Accept", value: "text/html" }],
      });
    expect(container.readinessProbe.httpGet.path).toBe("/api/health");
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(set.spec.template.spec.securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 1000 });
    const { value } = container.env.find(({ name }: Yaml) => name === "SERVICE_AGENT_URL");
    const { name, namespace } = one("Service", "boardroom").metadata;
    expect(value).toBe(`http://${name}.${namespace}.svc:${port}`);
  });

  it("allows the service the requests that it sends, and no others", async () => {
    const { rules } = one("Role", "boardroom-runner");
    const allowed = new Set<string>(
      rules.flatMap(({ resources, verbs }: Yaml) =>
        resources.flatMap((resource: string) => verbs.map((verb: string) => `${verb} ${resource}`)),
      ),
    );
    // Those of logs and of inputs are streams; `create` on attach is what Kubernetes 1.35 asks for the latter.
    const sent = new Set(["get pods/log", "get pods/attach", "create pods/attach"]);
    const api = {
      call: async (method: string, path: string) => {
        const [, resource, named] = /^\/api\/v1\/namespaces\/n\/(\w+)(?:\/|$)?(\w*)/.exec(path)!;
        const verb = { POST: "create", DELETE: "delete", GET: named === "" ? "list" : "get" }[method];
        sent.add(`${verb} ${resource}`);
        return { status: 200, message: "", body: { items: [] }, at: 0 };
      },
    } as unknown as EngineHttp;
    const agents = cluster(api, "n");
    const volume = { size: "1Gi", storageClassName: null, accessMode: "ReadWriteOnce" } as const;
    await agents.createPod({} as never);
    await agents.pod("a");
    await agents.pods([]);
    await agents.deletePod("a", "u", 1);
    await agents.createSpec("a", { name: "a", uid: "u" } as never, "");
    await agents.ensureHelper("");
    await agents.ensureClaim("a", volume);
    await agents.claim("a");
    await agents.claims([]);
    await agents.deleteClaim("a", "u");
    expect([...allowed].sort()).toEqual([...sent].sort());
    // A request of a new kind would not be in this list.
    expect(Object.keys(agents).sort()).toEqual(
      `api podPath createPod pod pods deletePod createSpec ensureHelper ensureClaim claim claims deleteClaim`
        .split(" ")
        .sort(),
    );
    const [, ofDocs] = /```yaml\n(apiVersion: rbac[\s\S]*?)```/.exec(read("docs/runners.md"))!;
    expect((parse(ofDocs!) as Yaml).rules).toEqual(rules);
    const binding = one("RoleBinding", "boardroom-runner");
    expect(binding.roleRef.name).toBe("boardroom-runner");
    expect(binding.subjects[0]).toMatchObject({
      name: set.spec.template.spec.serviceAccountName,
      namespace: set.metadata.namespace,
    });
    expect(binding.metadata.namespace).toBe(
      parse(one("ConfigMap", "boardroom-runners").data["cluster.yaml"]).namespace,
    );
  });

  it("lets agents connect to the service, name resolution and public addresses alone", () => {
    const { egress, policyTypes, podSelector, ingress } = one("NetworkPolicy", "boardroom-agents").spec;
    expect({ policyTypes, podSelector, ingress }).toEqual({
      policyTypes: ["Ingress", "Egress"],
      podSelector: {},
    });
    const blocks: Yaml[] = egress.flatMap(({ to }: Yaml) => to.flatMap(({ ipBlock }: Yaml) => ipBlock ?? []));
    const listed = (subnets: readonly string[], address: string) => {
      const list = new BlockList();
      for (const subnet of subnets) {
        const [net, bits] = subnet.split("/");
        list.addSubnet(net!, Number(bits), isIP(net!) === 6 ? "ipv6" : "ipv4");
      }
      return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
    };
    const isAllowed = (address: string) =>
      blocks.some(({ cidr, except }) => listed([cidr], address) && !listed(except, address));
    for (const [net] of neverSubnets) expect(isAllowed(net), net).toBe(false);
    const nets = blocks.flatMap(({ except }) => except as string[]).map((subnet) => subnet.split("/"));
    /** The addresses around both ends of each excluded range of IPv4. */
    const ends = nets
      .filter(([net]) => isIP(net!) === 4)
      .flatMap(([net, bits]) => {
        const first = net!.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
        return [first - 1, first, first + 2 ** (32 - Number(bits)) - 1, first + 2 ** (32 - Number(bits))];
      })
      .filter((at) => at >= 0 && at < 2 ** 32);
    const dotted = (at: number) => [24, 16, 8, 0].map((bits) => Math.floor(at / 2 ** bits) % 256).join(".");
    for (const at of ends)
      expect([dotted(at), isAllowed(dotted(at))]).toEqual([
        dotted(at),
        kindOfAddress(dotted(at)) === "public",
      ]);
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        // Of IPv6, what is assigned to the internet today is allowed, and less than what is not known to be private.
        if (isIP(address) === 4) expect(isAllowed(address)).toBe(kindOfAddress(address) === "public");
        else if (isAllowed(address)) expect(kindOfAddress(address)).toBe("public");
      }),
    );
  });

  it("has each object that the docs name", () => {
    for (const [, kind, name] of page.matchAll(/\b(statefulset|service|svc)\/([a-z-]+)/g))
      expect(one(kind === "statefulset" ? "StatefulSet" : "Service", name!), `${kind}/${name}`).toBeDefined();
    for (const [, folder] of page.matchAll(/apply -k (\S+)/g))
      expect(existsSync(join(root, folder!, "kustomization.yaml")), folder).toBe(true);
    for (const [path] of page.matchAll(/deploy\/[\w./-]*\.(?:yaml|service)/g))
      expect(existsSync(join(root, path)), path).toBe(true);
  });
});
