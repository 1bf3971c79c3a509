import type { Attempt } from "./attempt.ts";

export const machine = [
  {
    id: "another-companys-files",
    promise: "No program reads the home or the workspace of another company.",
    who: "an agent",
    attempt: "reads a file that another company's agent wrote with mode 0666, by its path",
    places: ["root", "user"],
  },
  {
    id: "modes",
    promise: "What programs make in homes and workspaces is for their user alone.",
    who: "an agent",
    attempt: "makes files and folders with the usual modes, 0666 and 0777",
    places: ["root", "user"],
  },
  {
    id: "descriptors",
    promise:
      "A program gets its input, its two outputs, and no other open file of the service or of what started it.",
    who: "an agent",
    attempt: "lists its descriptors, in the first run and in a later one",
    places: ["root", "user"],
  },
  {
    id: "outputs-by-name",
    promise: "A program opens its own outputs by name, as by any shell.",
    who: "an agent",
    attempt: "writes to /dev/stderr and /dev/stdout as the user of its company",
    places: ["root", "user"],
  },
  {
    id: "grace-of-a-hoarder",
    promise: "A run that holds too much memory or disk gets no grace period to take more.",
    who: "an agent",
    attempt: "ignores SIGTERM and goes on growing",
    places: ["root", "user"],
  },
] as const satisfies readonly Attempt[];
