import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { containerRunner, endingSec } from "../../../adapters-infra/docker/container-runner.ts";
import { type DockerEngine, dockerEngine } from "../../../adapters-infra/docker/docker-engine.ts";
import { dockerVolumes } from "../../../adapters-infra/docker/docker-volumes.ts";
import {
  refusesForwarded,
  refusingCommands,
  thisMachine,
} from "../../../adapters-infra/docker/forward-rules.ts";
import { type EngineAccess, engineHttp } from "../../../adapters-infra/runner-helper/engine-http.ts";
import { clause } from "../../../core/model/shared/sentence.ts";
import { type OpenedRunner, openEngine, type Problem, type RunnerParts } from "./opened-runner.ts";

const nonEmptyString = z.string().min(1);

/** The keys of a template of kind docker; docs/runners.md explains each. */
const Template = z.strictObject({
  kind: z.literal("docker"),
  host: z
    .string()
    .regex(/^(unix:\/\/\/.+|https:\/\/[^/]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+)$/, {
      message: "must be unix:///path, or https://host:port with certificates",
    })
    .default("unix:///var/run/docker.sock"),
  certificates: nonEmptyString.refine(isAbsolute, "must be an absolute path").nullable().default(null),
  engine: z
    .string()
    .regex(/^[\w.:-]{1,100}$/)
    .nullable()
    .default(null),
  image: nonEmptyString,
  runAsUser: z.number().int().min(1).max(2_000_000_000).default(1000),
  network: z
    .string()
    .regex(/^\w[\w.-]*$/, "must be the name of a network")
    .default("bridge"),
  memory: z
    .string()
    .regex(/^\d+[kmg]$/i, "must be a number with k, m or g")
    .nullable()
    .default(null),
  cpus: z.number().min(0.01).max(10_000).nullable().default(null),
  pids: z.number().int().min(16).max(4_000_000).default(1024),
  runtime: nonEmptyString.nullable().default(null),
});

const terms = {
  kind: "container",
  openService: "let the firewall of the engine's machine allow it",
  listMetadata:
    "List the rules on the engine's machine: iptables -S DOCKER-USER and ip6tables -S DOCKER-USER; with podman the chain is CNI-ADMIN.",
  closeMetadata: `Refuse it there: ${refusingCommands.join("; ")}.`,
  closeNeighbours:
    "Name a network of their own: docker network create -o com.docker.network.bridge.enable_icc=false agents; with podman give each company one, by a template of its own.",
} as const;

/** Makes the runner of a template; a problem is a sentence for the operator. */
export const openDocker = (name: string, template: unknown, parts: RunnerParts): Promise<OpenedRunner> =>
  openEngine(name, template, parts, {
    kind: "docker",
    schema: Template,
    terms,
    open: async ({ kind: _, host, certificates, engine: named, memory, ...fields }, facts) => {
      const access = await accessOf(host, certificates);
      if ("problem" in access) return access;
      const engine = dockerEngine(engineHttp(access));
      const id = named ?? (await idOf(engine));
      if (typeof id !== "string") return id;
      const template = { name, ...fields, memoryBytes: memory === null ? null : bytesOf(memory) };
      const processes = containerRunner({ engine, template, scope: `docker/${id}`, ...facts });
      // A socket of the service's machine; its engine's networks may still be elsewhere.
      const isHere = host.startsWith("unix:");
      return {
        processes,
        endingSec,
        volumes: dockerVolumes(engine),
        refuses: async (addresses, subnets) =>
          isHere && (await engine.isBridge(fields.network).catch(() => false))
            ? refusesForwarded(thisMachine, addresses, subnets)
            : null,
      };
    },
  });

const units: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

const bytesOf = (memory: string): number =>
  Number(memory.slice(0, -1)) * (units[memory.slice(-1).toLowerCase()] ?? 1);

const accessOf = async (server: string, certificates: string | null): Promise<EngineAccess | Problem> => {
  const token = () => null;
  if (!server.startsWith("https:")) return { server, ca: undefined, cert: undefined, key: undefined, token };
  if (certificates === null)
    return { problem: "certificates: must name a folder with ca.pem, cert.pem and key.pem for https." };
  try {
    const [ca, cert, key] = await Promise.all(
      ["ca.pem", "cert.pem", "key.pem"].map((file) => readFile(join(certificates, file))),
    );
    return { server, ca, cert, key, token };
  } catch (error) {
    return {
      problem: `Its certificates cannot be read: ${clause((error as NodeJS.ErrnoException).message)}.`,
    };
  }
};

/** The engine's own id, the same for all its services. Some engines make a new one for each answer. */
const idOf = async (engine: DockerEngine): Promise<string | Problem> => {
  try {
    const [first, second] = [await engine.info(), await engine.info()];
    return first.ID === second.ID && first.ID !== ""
      ? first.ID
      : {
          problem:
            "Its engine has no lasting id (podman has none): name it by engine, the same in every service.",
        };
  } catch (error) {
    return {
      problem: `The engine ${engine.server} does not answer: ${clause((error as Error).message)}. Start the service once it does, or name it by engine.`,
    };
  }
};
