import type { NotPromised } from "./attempt.ts";

export const notPromised: readonly NotPromised[] = [
  {
    what: "All agents see what SERVICE_AGENT_PATHS lists and the folders of the service's PATH, whatever their company. A folder of that PATH that an agent may write lets it show any file to the agents that start a command from there.",
    environments: ["root", "user"],
  },
  {
    what: "Agents of one company share a user and a home: they can read, change and end each other's files and programs.",
    environments: ["root", "user"],
  },
  {
    what: "Where the sandbox is off or missing, programs of all companies run as the service's user and read all that it can read.",
    environments: ["user"],
  },
  {
    what: "Where the sandbox is off or missing, a program that leaves the session of its run with a cleared environment, and whose parent ends at once, outlives the run if there is no control group, or if it does so in the moment before its run has been moved into one.",
    environments: ["root", "user"],
  },
  {
    what: "Without a control group, memory is sampled: a run may exceed its limit for two seconds. Not counted are a file system in memory that no process's mount namespace shows any more, one below another mount, and what is mapped of deleted files in memory beyond the size of the others.",
    environments: ["root", "user"],
  },
  {
    what: "Where the sandbox is off or missing, a run whose files are on a file system of its own that never answers (FUSE) is not measured.",
    environments: ["root", "user"],
  },
  {
    what: "Without a control group, System V segments that no program has attached are not counted: only root may look at them.",
    environments: ["user"],
  },
  {
    what: "The kernel counts inotify instances and watches for each user: agents of one company can use up those of the company, and, where all companies share a user, those of all companies and of the service (`fs.inotify.max_user_instances`).",
    environments: ["root", "user"],
  },
  {
    what: "Programs make user namespaces of their own, because coding CLIs need them for their sandboxes. Outside of the sandbox, io_uring, userfaultfd and the keyrings of their user are open to them, too.",
    environments: ["root", "user"],
  },
  {
    what: "Programs share the machine's network, host name and clock with the service, and its priority. Where the service is not root, they have its supplementary groups.",
    environments: ["root", "user"],
  },
  {
    what: "A data directory that was copied to another machine, or into another container at the same path, and a database that was copied by other tools than `boardroom restore` stay the same installation: on an engine that both use, each ends what the other runs.",
    environments: ["docker", "kubernetes"],
  },
  {
    what: "Services in different containers of one machine do not see each other's users; give each a range with SERVICE_AGENT_UID.",
    environments: ["root"],
  },
  {
    what: "In a program that embeds the service, open files of that program that it lets its children inherit may reach the first runs and external adapters.",
    environments: ["root", "user"],
  },
  {
    what: "The service sets no rule of an engine's network: `runners check` says what is open, and the operator closes it.",
    environments: ["docker", "kubernetes"],
  },
  {
    what: "The service does not limit the disk on an engine. Volumes are as large as their driver lets them become; `resources.limits.ephemeral-storage` of a template ends a pod that writes more elsewhere.",
    environments: ["docker", "kubernetes"],
  },
  {
    what: "The number of processes of a pod is limited by its node alone (`podPidsLimit`).",
    environments: ["kubernetes"],
  },
  {
    what: "Users of the cluster who may read Secrets of the namespace, and those who may open an engine's socket, see the prompts and keys of runs.",
    environments: ["docker", "kubernetes"],
  },
];
