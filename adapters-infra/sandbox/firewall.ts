import { execFile } from "node:child_process";
import { readlinkSync } from "node:fs";
import { connect } from "node:net";
import { promisify } from "node:util";
import type { LocalProcess } from "../../ports/process-runner.ts";
import type { UserRange } from "../../ports/sandbox.ts";

/** The address at which clouds give any program the machine's credentials. */
const metadata = { iptables: ["-d", "169.254.0.0/16"], ip6tables: ["-d", "fd00:ec2::/32"] } as const;
const programs = ["iptables", "ip6tables"] as const;
type Program = (typeof programs)[number];

const execute = promisify(execFile);
const change = (program: Program, ...args: readonly string[]) => execute(program, ["-w", ...args]);

/** Rules of one service that block addresses for the users of agents. */
export interface Firewall {
  /**
   * Removes the rules of services that have ended without removing theirs, and adds what is missing of this service's.
   * The first time it also removes what versions of the service that named no rules have left for the same users.
   * Resolves with a sentence where the machine has no usable firewall; null where all rules hold.
   */
  hold(): Promise<string | null>;
  /** Removes this service's rules. */
  open(): Promise<void>;
}

/** A rule names its service, so that the stop of one leaves the rules of the others. */
const mark = "boardroom-service";
const markForm = new RegExp(`--comment "?${mark} (\\d+) (\\d+) (\\S+?)"?(?: |$)`);

/** Blocks the users of the range from the metadata address of clouds and from those ports of this machine. */
export const firewall = (
  { first, last }: UserRange,
  loopbackPorts: readonly number[],
  service: LocalProcess,
  isAlive: (process: LocalProcess) => boolean,
): Firewall => {
  // Pids of another container that shares the network mean nothing here.
  const space = spaceOf();
  const comment = `${mark} ${space} ${service.pid} ${service.startedAt}`;
  const ofUsers = [
    ...["-m", "owner", "--uid-owner", `${first}-${last}`],
    ...["-m", "comment", "--comment", comment],
    ...["-j", "REJECT"],
  ];
  const rulesOf = (program: Program) => [
    [...metadata[program], ...ofUsers],
    ...loopbackPorts.map((port) => ["-o", "lo", "-p", "tcp", "--dport", `${port}`, ...ofUsers]),
  ];
  const listed = async (program: Program) =>
    (await change(program, "-S", "OUTPUT")).stdout.split("\n").map((line) => line.trim());
  const marked = async (program: Program) =>
    (await listed(program)).flatMap((line) => {
      const [, itsSpace, pid, startedAt] = markForm.exec(line) ?? [];
      return startedAt === undefined ? [] : [{ line, space: itsSpace, pid: Number(pid), startedAt }];
    });
  const isOwn = ({ pid, startedAt }: LocalProcess) => pid === service.pid && startedAt === service.startedAt;
  const remove = (program: Program, line: string) =>
    change(program, "-D", ...words(line).slice(1)).catch(() => {
      // Another service has removed it meanwhile.
    });
  /** An older version may still run next to this one: then its database answers, and its rules stay. */
  const removeNameless = async (program: Program) => {
    const nameless = new RegExp(
      `^-A OUTPUT (?:-d ${metadata[program][1]}|-o lo -p tcp -m tcp --dport (\\d+)) -m owner --uid-owner ${first}-${last} -j REJECT`,
    );
    const found: string[] = [];
    for (const line of await listed(program)) {
      const rule = nameless.exec(line);
      if (rule === null) continue;
      const port = Number(rule[1] ?? 0);
      if (port !== 0 && !loopbackPorts.includes(port) && (await answers(port))) return;
      found.push(line);
    }
    for (const line of found) await remove(program, line);
  };
  let isFirst = true;
  const holdBy = async (program: Program) => {
    const all = (await marked(program)).filter((rule) => rule.space === space);
    for (const rule of all) if (!isOwn(rule) && !isAlive(rule)) await remove(program, rule.line);
    const rules = rulesOf(program);
    const own = all.filter(isOwn);
    if (own.length === rules.length) return;
    // Which of them is missing is not read from the listing, where the system writes them in its own way.
    for (const rule of rules) await change(program, "-I", "OUTPUT", ...rule);
    // Each removal takes one of several equal rules.
    for (const { line } of own) await remove(program, line);
  };
  return {
    hold: async () => {
      try {
        for (const program of programs) await holdBy(program);
        if (isFirst) for (const program of programs) await removeNameless(program);
        isFirst = false;
        return null;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === "ENOENT"
          ? "iptables is not installed: agents reach the metadata address of a cloud and the database's port. Install it (apt-get install iptables)."
          : "The firewall takes no rules from the service: agents reach the metadata address of a cloud and the database's port. Refuse them 169.254.0.0/16 by other means.";
      }
    },
    open: async () => {
      for (const program of programs)
        for (const { line } of (await marked(program).catch(() => [])).filter(
          (rule) => rule.space === space && isOwn(rule),
        ))
          await remove(program, line);
    },
  };
};

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

/** The words of a listed rule, whose comment is in quotation marks. */
const words = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

const spaceOf = (): string => {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
};
