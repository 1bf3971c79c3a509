import type { Attempt } from "./attempt.ts";

export const machine = [
  {
    id: "another-companys-files",
    promise: "No program reads the home or the workspace of another company.",
    who: "an agent",
    attempt: "reads a file that another company's agent wrote with mode 0666, by its path",
    places: ["root", "user"],
  },
] as const satisfies readonly Attempt[];
