import type { Attempt } from "./attempt.ts";

export const tools = [
  {
    id: "foreign-through-tools",
    promise: "No tool shows or changes anything of another company.",
    who: "an agent",
    attempt: "calls its tools, and operations through them, with an issue and an agent of another company",
    environments: ["root", "user"],
  },
  {
    id: "credential-through-tools",
    promise: "No tool makes a credential, or shows the one that it is called with.",
    who: "an agent",
    attempt:
      "asks its tools for keys, tokens, links to sign in and secrets, and for the configuration of itself",
    environments: ["root", "user"],
  },
] as const satisfies readonly Attempt[];
