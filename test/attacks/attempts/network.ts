import type { Attempt } from "./attempt.ts";

export const network = [
  {
    id: "metadata",
    promise: "The check of a runner says whether its programs reach the cloud's metadata address.",
    who: "an agent",
    attempt: "calls 169.254.169.254, where the operator has closed it and where not",
    environments: ["docker", "kubernetes"],
  },
  {
    id: "neighbours",
    promise: "The check of a runner says whether its programs reach the ports of others.",
    who: "an agent",
    attempt: "connects to a program of another run",
    environments: ["docker", "kubernetes"],
  },
] as const satisfies readonly Attempt[];
