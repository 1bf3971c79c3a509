import type { Attempt } from "./attempt.ts";

/** Each state of `.git` and each object that git lets an agent make is a row of its own in `test/contracts/`. */
export const repositories = [
  {
    id: "hostile-git",
    promise:
      "No program that the git of a workspace names runs outside of the sandbox, and its work is kept.",
    who: "an agent",
    attempt:
      "names a program as monitor, hook, filter, driver, pager, helper, proxy and remote of its clone, replaces objects, and lets the service keep, compare, prove, merge, use, remove and make its workspace",
    environments: ["root", "user"],
  },
  {
    id: "started-by-git",
    promise:
      "Once a stop has been requested, no program of the agent starts again, and the token of its run writes nothing.",
    who: "an agent",
    attempt:
      "names a program in a signed stash, a promisor of missing objects, a monitor and the filter of a repository inside of its clone, which comments and pushes with the token of the run, and is cancelled",
    environments: ["root", "user"],
  },
  {
    id: "git-elsewhere",
    promise: "No workspace shows what another company has in its repositories.",
    who: "an agent",
    attempt:
      "leads its `.git`, its objects, its working tree and links to the store of another company, names objects of it by their ids, and asks the service for it with its own token",
    environments: ["root", "user"],
  },
  {
    id: "refs-of-others",
    promise: "A run writes its own refs and the branch of its issue, and nothing else of a repository.",
    who: "an agent",
    attempt:
      "pushes to the default branch, the branch of another issue, refs of another run, `refs/replace` and `HEAD`, and writes into the objects that its clone borrows",
    environments: ["root", "user"],
  },
  {
    id: "host-credential",
    promise: "The credential of a git host reaches its declared address, and no agent.",
    who: "an agent",
    attempt:
      "searches variables, arguments of programs and files for it, names the host as its origin, and sets a proxy, helpers and other addresses for the service's next steps",
    environments: ["root", "user"],
  },
  {
    id: "settings-of-one-agent",
    promise: "What an agent sets for all its git holds in its workspace alone.",
    who: "an agent",
    attempt:
      "writes `~/.gitconfig` and `~/.config/git/config` with a program, and another one of its company commits",
    environments: ["root", "user"],
  },
  {
    id: "filled-disk",
    promise: "A run that fills the disk with git's objects ends at its limit, and its work is kept.",
    who: "an agent",
    attempt: "commits a file, leaves another, and then writes objects without end",
    environments: ["root", "user"],
  },
  {
    id: "package-cache",
    promise: "Workspaces of a company share its caches of packages, and another company does not see them.",
    who: "an agent",
    attempt:
      "installs a package of npm without a network after another company's agent has installed it, and reads that one's cache by its path",
    environments: ["root", "user"],
  },
] as const satisfies readonly Attempt[];
