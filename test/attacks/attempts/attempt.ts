/** How the service runs, or where its agents do: each has promises of its own. */
export const environments = {
  root: "the service as root",
  user: "the service as an ordinary user",
  docker: "agents in containers of Docker and podman",
  kubernetes: "agents in pods of a node",
  pod: "the object of a pod that a cluster is asked for",
} as const;
export type Environment = keyof typeof environments;

/** One way to break a promise of the service, which a test carries out. */
export interface Attempt {
  /** Unique within its area. */
  readonly id: string;
  /** The property that holds, as a sentence about the service. */
  readonly promise: string;
  readonly who: "an agent" | "an operator of one company" | "a program of the machine" | "another service";
  /** How it is tried. */
  readonly attempt: string;
  /** Where it is tried. */
  readonly environments: readonly Environment[];
}

/** A promise that the service does not make. */
export interface NotPromised {
  readonly what: string;
  readonly environments: readonly Environment[];
}
