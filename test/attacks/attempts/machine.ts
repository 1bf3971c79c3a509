import type { Attempt } from "./attempt.ts";

export const machine = [
  {
    id: "another-companys-files",
    promise: "No program reads the home or the workspace of another company.",
    who: "an agent",
    attempt: "reads a file that another company's agent wrote with mode 0666, by its path",
    environments: ["root", "user", "docker", "kubernetes", "pod"],
  },
  {
    id: "modes",
    promise: "What programs make in homes and workspaces is for their user alone.",
    who: "an agent",
    attempt: "makes files and folders with the usual modes, 0666 and 0777",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "descriptors",
    promise:
      "A program gets its input, its two outputs, and no other open file of the service or of what started it.",
    who: "an agent",
    attempt: "lists its descriptors, in the first run and in a later one",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "inherited",
    promise:
      "A program inherits no keyring, rights, ignored signals, terminal or protection from lack of memory of what started the service, and shares only the namespaces that are listed.",
    who: "a program of the machine",
    attempt:
      "starts the service with a key in its session keyring, real-time limits, signals ignored and a negative OOM score; agents look for all of it, with a sandbox and without",
    environments: ["root", "user"],
  },
  {
    id: "refused-calls",
    promise: "Programs in the sandbox use neither io_uring nor userfaultfd, nor the kernel's keyrings.",
    who: "an agent",
    attempt: "makes these calls",
    environments: ["root", "user"],
  },
  {
    id: "outputs-by-name",
    promise: "A program opens its own outputs by name, as by any shell.",
    who: "an agent",
    attempt: "writes to /dev/stderr and /dev/stdout as the user of its company",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "grace-of-a-hoarder",
    promise: "A run that holds too much memory or disk gets no grace period to take more.",
    who: "an agent",
    attempt: "ignores SIGTERM and goes on growing",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "required-with-a-gap",
    promise: "With SERVICE_SANDBOX=required the service does not start with any gap.",
    who: "a program of the machine",
    attempt: "starts it as an ordinary user, or as root without iptables",
    environments: ["root", "user"],
  },
  {
    id: "rules-of-two-services",
    promise: "The stop of one service leaves the firewall rules of another.",
    who: "another service",
    attempt: "starts and stops on the same machine",
    environments: ["root"],
  },
  {
    id: "rules-removed",
    promise: "Firewall rules that others remove come back within seconds.",
    who: "a program of the machine",
    attempt: "removes the rules of the service",
    environments: ["root"],
  },
  {
    id: "rules-of-the-dead",
    promise:
      "Firewall rules of a service that was killed go with its next start, and never those of a living one.",
    who: "a program of the machine",
    attempt: "kills the service with SIGKILL and starts another",
    environments: ["root"],
  },
  {
    id: "rules-of-all-addresses",
    promise:
      "Programs of agents reach none of the addresses that no configuration leads the service to, over IPv4 or IPv6.",
    who: "an agent",
    attempt:
      "has a metadata address of any cloud to itself; the rules are compared with the list, and nothing is called",
    environments: ["root"],
  },
  {
    id: "rules-of-left-programs",
    promise:
      "Firewall rules stay as long as programs that a service has left to the next one, and go with the last of them.",
    who: "another service",
    attempt: "starts and stops on the machine after a service with SERVICE_HANDOVER_SEC has stopped",
    environments: ["root"],
  },
  {
    id: "rules-of-killed-service",
    promise: "Firewall rules of a service that was killed stay while programs of its users live.",
    who: "another service",
    attempt: "starts and stops on the machine after a service was killed with SIGKILL in the middle of a run",
    environments: ["root"],
  },
  {
    id: "rules-not-held",
    promise: "While the firewall takes no rules, health names the gap and no level above *partly*.",
    who: "a program of the machine",
    attempt: "removes the rules of the service and keeps it from adding them",
    environments: ["root"],
  },
  {
    id: "rules-of-older-versions",
    promise:
      "Rules without a name, of a version that named none, go with the next start, unless the database that they close still answers.",
    who: "a program of the machine",
    attempt: "leaves such rules, some of a living older service",
    environments: ["root"],
  },
  {
    id: "users-of-the-machine",
    promise:
      "Agents run as no user that the machine has given to somebody; where no range is free, health says so and SERVICE_SANDBOX=required refuses the start.",
    who: "a program of the machine",
    attempt: "has users in the usual range, then in all of them",
    environments: ["root"],
  },
  {
    id: "users-of-two-instances",
    promise: "Every company of every instance on the machine has a user of its own, which it keeps.",
    who: "another service",
    attempt: "starts on the same machine, and its first company runs a program",
    environments: ["root"],
  },
  {
    id: "opened-folders",
    promise: "Homes and workspaces are closed to other users at the start of each run.",
    who: "an agent",
    attempt: "opens its home and its workspace to everybody and leaves",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "memory-in-files",
    promise: "Files in memory count as memory of the run, whether the kernel keeps the limit or not.",
    who: "an agent",
    attempt:
      "fills its /tmp, a file system in a user namespace of its own, and an anonymous file that it does not map",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "memory-in-segments",
    promise: "System V segments count as memory of the run.",
    who: "an agent",
    attempt: "fills a segment and detaches it",
    environments: ["root", "docker", "kubernetes"],
  },
  {
    id: "memory-of-a-threads-child",
    promise: "Programs that a thread has started count as descendants.",
    who: "an agent",
    attempt: "starts a program from a thread and lets it grow",
    environments: ["root", "user", "docker", "kubernetes"],
  },
  {
    id: "old-home",
    promise:
      "A sign-in of the service's user reaches no agent; the start and the environment test name its file.",
    who: "an agent",
    attempt: "reads the sign-in of a coding CLI in the home of the service's user",
    environments: ["root", "user"],
  },
  {
    id: "environments",
    promise: "A program on an engine finds no variable of the service, and no key of another run.",
    who: "an agent",
    attempt: "reads the environments and arguments of all processes and the folder of its start",
    environments: ["docker", "kubernetes"],
  },
  {
    id: "rights-on-the-engine",
    promise: "A program has no right on its engine: no account, no socket, no capability, no way to one.",
    who: "an agent",
    attempt: "looks for a token and for sockets, and asks the kernel for a mount",
    environments: ["docker", "kubernetes", "pod"],
  },
] as const satisfies readonly Attempt[];
