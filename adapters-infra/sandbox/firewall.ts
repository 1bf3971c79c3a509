import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect } from "node:net";
import { promisify } from "node:util";
import type { InstallationId } from "../../core/model/shared/ids.ts";
import { neverSubnets } from "../../plugins/kit/judged-address.ts";
import type { LocalProcess } from "../../ports/process-runner.ts";
import type { UserRange } from "../../ports/sandbox.ts";

const programs = ["iptables", "ip6tables"] as const;
type Program = (typeof programs)[number];

/** The addresses that no configuration leads the service to, where clouds give any program the machine's credentials. */
const addressesOf = (program: Program): readonly string[] =>
  neverSubnets
    .filter(([net]) => net.includes(":") === (program === "ip6tables"))
    .map(([net, bits]) => `${net}/${bits}`);

/** Rules of one service that block addresses for the users of agents. */
export interface Firewall {
  /**
   * Adds what is missing of this service's rules and of those of processes that outlive it, and removes rules of processes
   * that have ended: where this service's say the same, or no program of their users lives. Resolves with a sentence where
   * the machine has no usable firewall; null where all rules hold. The first time it also removes what versions of the
   * service that named no rules have left for the same users.
   */
  hold(): Promise<string | null>;
  /** Adds the same rules for a process that outlives this service, and removes them when its programs have ended. */
  guard(supervisor: LocalProcess): Promise<void>;
  /** Removes this service's rules. */
  open(): Promise<void>;
}

export interface FirewallOptions {
  readonly users: UserRange;
  readonly loopbackPorts: readonly number[];
  readonly installation: InstallationId;
  readonly service: LocalProcess;
  readonly isAlive: (process: LocalProcess) => boolean;
}

/** A rule names the process for whose programs it is, so that the stop of one service leaves the rules of the others. */
const mark = "boardroom-service";
/** Versions before wrote no installation. */
const markForm = new RegExp(`--comment "?${mark} (?:([0-9a-f-]{36}) )?(\\d+) (\\d+) (\\S+?)"?(?: |$)`);
const usersForm = /--uid-owner (\d+)(?:-(\d+))?(?: |$)/;

interface Rule extends LocalProcess {
  readonly line: string;
  readonly installation: string | undefined;
  readonly space: string | undefined;
  readonly first: number;
  readonly last: number;
}

/** Blocks the users of the range from those addresses and from those ports of this machine. */
export const firewall = (options: FirewallOptions): Firewall => {
  const { users, installation, service, isAlive } = options;
  let owners: readonly LocalProcess[] = [service];
  const marked = async (program: Program): Promise<readonly Rule[]> =>
    (await listed(program)).flatMap((line) => ruleIn(line) ?? []).filter((rule) => rule.space === spaceOf());
  const isReplaced = (rule: Rule) =>
    rule.installation === installation && rule.first === users.first && rule.last === users.last;
  const holdBy = async (program: Program) => {
    owners = owners.filter((owner) => owner === service || isAlive(owner));
    const all = await marked(program);
    const missing = owners.filter((owner) => {
      const rules = rulesFor(options, program, owner);
      return all.filter((rule) => isOf(rule, owner)).length !== rules.length;
    });
    // Which of them is missing is not read from the listing, where the system writes them in its own way.
    if (missing.length > 0)
      await add(
        program,
        missing.flatMap((owner) => rulesFor(options, program, owner)),
      );
    const dead = all.filter((rule) => !isAlive(rule) && (isReplaced(rule) || !hasProcesses(rule)));
    await remove(program, [
      ...all.filter((rule) => missing.some((owner) => isOf(rule, owner))).map(({ line }) => line),
      ...dead.map(({ line }) => line),
    ]);
  };
  let isFirst = true;
  let last: Promise<unknown> = Promise.resolve();
  const sequentially = <A>(change: () => Promise<A>): Promise<A> => {
    const done = last.then(change);
    last = done.catch(() => {});
    return done;
  };
  const hold = async (): Promise<string | null> => {
    try {
      for (const program of programs) await holdBy(program);
      if (isFirst) for (const program of programs) await removeNameless(options, program);
      isFirst = false;
      return null;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ENOENT"
        ? "iptables is not installed: agents reach the metadata address of a cloud and the database's port. Install it (apt-get install iptables)."
        : "The firewall takes no rules from the service: agents reach the metadata address of a cloud and the database's port. Refuse them 169.254.0.0/16 by other means.";
    }
  };
  return {
    hold: () => sequentially(hold),
    guard: (supervisor) =>
      sequentially(async () => {
        owners = [...owners, supervisor];
        await hold();
      }),
    open: () =>
      sequentially(async () => {
        owners = owners.filter((owner) => owner !== service);
        for (const program of programs) {
          const all = await marked(program).catch(() => []);
          await remove(
            program,
            all.filter((rule) => isOf(rule, service)).map(({ line }) => line),
          );
        }
      }),
  };
};

const rulesFor = (
  { users, loopbackPorts, installation }: FirewallOptions,
  program: Program,
  { pid, startedAt }: LocalProcess,
): readonly string[] => {
  const ofUsers = `-m owner --uid-owner ${users.first}-${users.last} -m comment --comment "${mark} ${installation} ${spaceOf()} ${pid} ${startedAt}" -j REJECT`;
  return [
    ...addressesOf(program).map((address) => `-d ${address} ${ofUsers}`),
    ...loopbackPorts.map((port) => `-o lo -p tcp --dport ${port} ${ofUsers}`),
  ];
};

/** An older version may still run next to this one: then its database answers, and its rules stay. */
const removeNameless = async ({ users, loopbackPorts }: FirewallOptions, program: Program): Promise<void> => {
  const nameless = new RegExp(
    `^-A OUTPUT (?:-d ${formerMetadata[program]}|-o lo -p tcp -m tcp --dport (\\d+)) -m owner --uid-owner ${users.first}-${users.last} -j REJECT`,
  );
  const found: string[] = [];
  for (const line of await listed(program)) {
    const rule = nameless.exec(line);
    if (rule === null) continue;
    const port = Number(rule[1] ?? 0);
    if (port !== 0 && !loopbackPorts.includes(port) && (await answers(port))) return;
    found.push(line);
  }
  await remove(program, found);
};

const execute = promisify(execFile);

const listed = async (program: Program): Promise<readonly string[]> =>
  (await execute(program, ["-w", "-S", "OUTPUT"])).stdout.split("\n").map((line) => line.trim());

/** In rules of versions that named none. */
const formerMetadata = { iptables: "169.254.0.0/16", ip6tables: "fd00:ec2::/32" } as const;
const answersMs = 1_000;

/** Whether something listens on a port of this machine. */
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: answersMs });
    const say = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.on("connect", say(true)).on("timeout", say(true)).on("error", say(false));
  });

/** Makes all changes of the table at once, or none. */
const restore = (program: Program, lines: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = execFile(`${program}-restore`, ["-w", "--noflush"], (error) =>
      error === null ? resolve() : reject(error),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(["*filter", ...lines, "COMMIT", ""].join("\n"));
  });

const add = (program: Program, rules: readonly string[]) =>
  restore(
    program,
    rules.map((rule) => `-I OUTPUT ${rule}`),
  );

/** Takes rules as they are listed. */
const remove = async (program: Program, rules: readonly string[]): Promise<void> => {
  if (rules.length === 0) return;
  const lines = rules.map((line) => line.replace("-A", "-D"));
  await restore(program, lines).catch(async () => {
    // Another service has removed one of them meanwhile.
    for (const line of lines) await restore(program, [line]).catch(() => {});
  });
};

const ruleIn = (line: string): Rule | null => {
  const [, installation, space, pid, startedAt] = markForm.exec(line) ?? [];
  const [, first, last = first] = usersForm.exec(line) ?? [];
  if (startedAt === undefined || first === undefined) return null;
  return { line, installation, space, pid: Number(pid), startedAt, first: Number(first), last: Number(last) };
};

const isOf = (rule: LocalProcess, { pid, startedAt }: LocalProcess): boolean =>
  rule.pid === pid && rule.startedAt === startedAt;

/** Whether a process of those users lives. */
const hasProcesses = ({ first, last }: Pick<UserRange, "first" | "last">): boolean =>
  readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1] ?? -1);
      return uid >= first && uid <= last;
    } catch {
      return false;
    }
  });

/** Pids of another container that shares the network mean nothing here. */
const spaceOf = (): string => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
};
