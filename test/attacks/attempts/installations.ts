import type { Attempt } from "./attempt.ts";

export const installations = [
  {
    id: "restored-copy",
    promise: "A restored copy ends no program of the original, before and after its agents are released.",
    who: "another service",
    attempt: "starts on a backup that was taken while a run was live, on the same machine",
    environments: ["root", "user"],
  },
  {
    id: "copied-data-directory",
    promise:
      "A copied data directory neither ends nor takes over programs that the original's service has left to its next start.",
    who: "another service",
    attempt: "starts on a copy that was taken while no service was running, on the same machine",
    environments: ["root", "user"],
  },
] as const satisfies readonly Attempt[];
