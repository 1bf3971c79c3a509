import type { Attempt } from "./attempt.ts";

export const agentFiles = [
  {
    id: "pipe-for-settings",
    promise: "What an agent puts in place of a file that the service looks at holds up nobody.",
    who: "an agent",
    attempt: "makes pipes of its CLIs' settings and has them read by several calls at once",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "endless-settings",
    promise: "No file of an agent fills the memory of the service.",
    who: "an agent",
    attempt: "links its CLI's settings to `/dev/zero`, and grows others to gigabytes",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "crowded-skills",
    promise: "No folder of an agent keeps the service busy.",
    who: "an agent",
    attempt: "makes 20,000 entries in its folder of skills and has them listed",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "forged-findings",
    promise: "Names and contents of files pass for nothing else.",
    who: "an agent",
    attempt: "puts line breaks and the words of the program that looks into names and texts",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "linked-instructions",
    promise: "Instructions are read with the rights and the view of the agent.",
    who: "an agent",
    attempt: "links the file of its instructions to keys of the service and to another company's files",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "pipe-for-instructions",
    promise: "A run whose instructions are no file fails at once, with a sentence.",
    who: "an agent",
    attempt: "makes a pipe of its file of instructions",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "too-many-questions",
    promise: "A company asks its adapters a few questions at once, and no other company waits for them.",
    who: "an operator of one company",
    attempt: "tests environments whose programs take long, with many calls at once",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "laid-out-files",
    promise: "Each run finds the files that the service lays out as the service has them.",
    who: "an agent",
    attempt: "makes files and links in the folder of its skills, and moves it away",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "swapped-folder-given",
    promise: "A tree that changes its user takes nothing of others with it.",
    who: "an agent",
    attempt: "swaps a folder of its tree for a link to root's files, without end, meanwhile",
    environments: ["root"],
  },
  {
    id: "swapped-folder-removed",
    promise: "The removal of a temporary folder removes nothing else.",
    who: "an agent",
    attempt: "swaps a folder in it for a link to root's files, without end, meanwhile",
    environments: ["root"],
  },
] as const satisfies readonly Attempt[];
