import type { Attempt } from "./attempt.ts";

export const load = [
  {
    id: "pipelined-and-gone",
    promise: "Requests of a client that has gone are not carried out.",
    who: "an agent",
    attempt: "writes 2,000 comments into one connection at once, and closes it",
    environments: ["root", "user"],
  },
  {
    id: "many-pieces",
    promise: "A request of too many pieces is refused before anything works on them.",
    who: "an agent",
    attempt: "proposes agents with settings of 90,000 members, and of 100,000 levels",
    environments: ["root", "user"],
  },
  {
    id: "many-questions",
    promise: "An agent has a bounded number of questions to people.",
    who: "an agent",
    attempt: "asks 60 questions on one issue, all at once and one after the other",
    environments: ["root", "user"],
  },
] as const satisfies readonly Attempt[];
