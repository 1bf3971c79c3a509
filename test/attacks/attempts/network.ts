import type { Attempt } from "./attempt.ts";

export const network = [
  {
    id: "metadata",
    promise:
      "The check of a runner says whether its programs have a route to a cloud's metadata address that no rule refuses, and calls none.",
    who: "an agent",
    attempt:
      "has such a route, where the operator has closed it and where not; routes and rules are listed, and nothing is called",
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
