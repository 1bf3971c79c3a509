import { agentFiles } from "./agent-files.ts";
import type { Attempt, Place } from "./attempt.ts";
import { machine } from "./machine.ts";
import { paths } from "./paths.ts";
import { text } from "./text.ts";

interface Area {
  /** The heading in `docs/security.md`. */
  readonly title: string;
  readonly attempts: readonly Attempt[];
}

/** All attempts, by the area that names their file here and their test, `test/attacks/<area>.test.ts`. */
export const areas = {
  "agent-files": { title: "Files of agents", attempts: agentFiles },
  paths: { title: "What a configuration or a link names", attempts: paths },
  machine: { title: "Users, limits and descriptors", attempts: machine },
  text: { title: "Texts", attempts: text },
} as const satisfies Readonly<Record<string, Area>>;

/** The test that carries out the attempts of an area in a place. That of Docker has a command of its own. */
export const testOf = (area: string, place: Place): string =>
  place === "docker"
    ? "test/docker/attacks.test.ts"
    : place === "kubernetes"
      ? "test/attacks/pods.test.ts"
      : `test/attacks/${area}.test.ts`;
