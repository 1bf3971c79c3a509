import { agentFiles } from "./agent-files.ts";
import type { Attempt, Environment } from "./attempt.ts";
import { installations } from "./installations.ts";
import { load } from "./load.ts";
import { machine } from "./machine.ts";
import { network } from "./network.ts";
import { paths } from "./paths.ts";
import { repositories } from "./repositories.ts";
import { text } from "./text.ts";
import { tools } from "./tools.ts";

interface Area {
  /** The heading in `docs/security.md`. */
  readonly title: string;
  readonly attempts: readonly Attempt[];
}

/** All attempts, by the area that names their file here and their test, `test/attacks/<area>.test.ts`. */
export const areas = {
  "agent-files": { title: "Files of agents", attempts: agentFiles },
  paths: { title: "What a configuration or a link names", attempts: paths },
  repositories: { title: "Repositories and workspaces of issues", attempts: repositories },
  machine: { title: "Users, limits and descriptors", attempts: machine },
  installations: { title: "Copies of an installation", attempts: installations },
  load: { title: "Load and bounds", attempts: load },
  network: { title: "The network of engines", attempts: network },
  text: { title: "Texts", attempts: text },
  tools: { title: "Tools for models", attempts: tools },
} as const satisfies Readonly<Record<string, Area>>;

/** The test that carries out the attempts of an area in an environment. Those of engines have commands of their own. */
export const testOf = (area: string, environment: Environment): string => {
  if (environment === "docker") return `test/docker/${area === "network" ? "network" : "attacks"}.test.ts`;
  if (environment === "kubernetes") return "test/kubernetes/attacks.test.ts";
  return environment === "pod" ? "test/attacks/pods.test.ts" : `test/attacks/${area}.test.ts`;
};
