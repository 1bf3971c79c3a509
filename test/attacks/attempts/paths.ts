import type { Attempt } from "./attempt.ts";

/** Pods and containers mount nothing that a configuration names: its paths are those inside, and none is refused. */
export const paths = [
  {
    id: "data-directory",
    promise: "Nobody shows an agent the data directory, an instance admin included.",
    who: "an operator of one company",
    attempt:
      "names it, or what is in it, as `cwd`, `command`, `instructionsFilePath`, argument, `HOME`, `*_HOME`, `*_CONFIG_DIR` or `PATH`, with `/.`, `//`, `..` and links",
    environments: ["root", "user", "docker", "kubernetes", "pod"],
  },
  {
    id: "machine",
    promise:
      "Only an instance admin shows an agent a path of the machine that SERVICE_AGENT_PATHS does not list.",
    who: "an operator of one company",
    attempt:
      "names homes, `/`, `/proc`, `/sys`, `/dev`, `/run`, `/tmp` and others' workspaces in a new configuration, a changed one, a hire, a resubmitted hire, a rollback and a test",
    environments: ["root", "user"],
  },
  {
    id: "kernel",
    promise:
      "Nobody shows an agent `/`, `/tmp` or `/var/tmp` of the machine, nor `/proc`, `/sys`, `/dev`, `/run` or what is in them.",
    who: "an operator of one company",
    attempt: "has an instance admin set them",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "temporary-folder",
    promise:
      "Of `/tmp` and `/var/tmp` of the machine, an agent sees what an instance admin names below them, and nothing else there.",
    who: "an agent",
    attempt: "lists them where an admin has let it work in a folder below",
    environments: ["root", "user"],
  },
  {
    id: "existence",
    promise: "A refusal does not tell what exists on the machine.",
    who: "an operator of one company",
    attempt: "compares the answers for paths that exist and that do not",
    environments: ["root", "user"],
  },
  {
    id: "around-data",
    promise: "A folder that contains the data directory is shown without it.",
    who: "an agent",
    attempt: "works in the folder above it, reads it, and moves folders between the two away",
    environments: ["root", "user"],
  },
  {
    id: "link-in-home",
    promise: "No link of an agent leads a mount.",
    who: "an agent",
    attempt: "replaces its `~/.codex`, which `CODEX_HOME` names, by a link to the data directory",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "link-as-cwd",
    promise: "No link of an agent leads a mount.",
    who: "an agent",
    attempt: "replaces its working directory in the workspace by a link to the data directory",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "link-as-command",
    promise: "No link of an agent leads a mount.",
    who: "an agent",
    attempt: "puts a link to a file of the machine where its command, or a folder of its `PATH`, is",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "node-modules",
    promise: "A command in a workspace shows no package folder around it.",
    who: "an agent",
    attempt: "links its command into a `node_modules` of the machine",
    environments: ["root", "user"],
  },
  {
    id: "swapped-grant",
    promise: "A path that an instance admin has set shows what it led to then.",
    who: "an agent",
    attempt: "replaces a folder that an admin lets another agent see by a link",
    environments: ["root", "user"],
  },
  {
    id: "read-as-write",
    promise: "What is listed or set for reading is not written.",
    who: "an operator of one company",
    attempt: "names it as working directory or home",
    environments: ["root", "user"],
  },
  {
    id: "untouched",
    promise: "A path that an instance admin has set stays when others change the rest.",
    who: "an operator of one company",
    attempt: "changes other fields, then the path, and rolls back to it",
    environments: ["root", "user"],
  },
  {
    id: "moved-here",
    promise: "Paths that were set for a runner elsewhere are judged before they mean this machine.",
    who: "an operator of one company",
    attempt:
      "sets paths of the machine for an agent in a container, moves it to this machine or has an admin do so, and has a hire approved after its company moved",
    environments: ["root", "user"],
  },
  {
    id: "tested-as-agent",
    promise: "A test of an agent's environment shows what the agent may see, and nothing else.",
    who: "an operator of one company",
    attempt:
      "tests an agent's own workspace, another agent's, one of another company, and a path that an admin let another agent see",
    environments: ["root", "user"],
  },
  {
    id: "loaders",
    promise:
      "No variable of a configuration loads code into the programs that set up a sandbox, or start the program.",
    who: "an operator of one company",
    attempt:
      "sets `LD_PRELOAD`, `NODE_OPTIONS`, `PERL5OPT`, `BASH_ENV` and `SHELLOPTS` with a file of the workspace",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "without-sandbox",
    promise: "Without a sandbox, a run whose path leads out of what is allowed does not start.",
    who: "an agent",
    attempt: "replaces its working directory by a link to the data directory",
    environments: ["root", "user"],
  },
] as const satisfies readonly Attempt[];
