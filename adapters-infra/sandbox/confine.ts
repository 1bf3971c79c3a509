import { isLoaderVariable } from "../../core/model/agents/loader-variables.ts";
import type { Detach, RunLimits } from "../../ports/sandbox.ts";
import { refusingFilter } from "./seccomp.ts";

/** The restrictions of a program below bubblewrap that bubblewrap itself does not make. */
export interface Confinement {
  /** Perl, because every Debian has it and it can make system calls. */
  readonly perl: string;
  /** Whether programs reach no abstract socket and signal no process outside (Landlock's scopes, Linux 6.12 or later). */
  readonly scopes: boolean;
  /** Whether the kernel refuses programs the calls of `seccomp.ts`. */
  readonly filter: boolean;
}

/** Numbers of system calls that differ by processor. Those of Landlock are the same on all but alpha. */
const numbers: Partial<Record<NodeJS.Architecture, Numbers>> = {
  x64: { keyctl: 250, prctl: 157, prlimit: 302, seccomp: 317 },
  arm64: { keyctl: 219, prctl: 167, prlimit: 261, seccomp: 277 },
};
type Numbers = Readonly<Record<"keyctl" | "prctl" | "prlimit" | "seccomp", number>>;

/** Whether the numbers of this processor's system calls are known. */
export const isKnownProcessor = numbers[process.arch] !== undefined;

/** Limits of the processes of a program. */
export interface ProcessLimits extends Pick<RunLimits, "processes" | "openFiles" | "fileBytes"> {
  /** Omitted: without limit. */
  readonly addressSpaceBytes?: number | undefined;
}

/**
 * Joins a new anonymous session keyring (man 7 keyrings): the one of the process that started the service may hold its
 * user's keys, and is common to all programs. Where a container's own filter refuses that (1, or 38 where the kernel has no
 * keyrings), it refuses programs the use of keyrings, too.
 */
const joinKeyring = ({ keyctl }: Numbers) => `
die "keyctl: $!\\n" if syscall(${keyctl}, 1, 0) < 0 && $! != 1 && $! != 38;
`;

/** Rights that a unit of systemd may give the service: capabilities of an ordinary user, and real-time priorities. */
const discardRights = ({ prctl, prlimit }: Numbers) => `
syscall(${prctl}, 47, 4, 0, 0, 0);
my $none = pack("QQ", 0, 0);
for my $limit (13, 14) { die "prlimit: $!\\n" if syscall(${prlimit}, 0, $limit, $none, 0) != 0 }
`;

/** A service that the kernel spares when memory runs out must not pass that on to its programs. */
const becomeVictim = `
if (open(my $file, "+<", "/proc/self/oom_score_adj")) {
  sysread($file, my $score, 16);
  syswrite($file, "0") if $score < 0;
  close($file);
}
`;

/** Enters a Landlock domain, in which programs may still mount, as coding CLIs do for sandboxes of their own. */
const enterDomain = `
my $attributes = pack("QQQ", 0, 0, 3);
my $domain = syscall(444, $attributes, 24, 0);
die "landlock_create_ruleset: $!\\n" if $domain < 0;
die "landlock_restrict_self: $!\\n" if syscall(446, $domain, 0) != 0;
`;

/** Numbers of limits by getrlimit(2). */
const setLimits = (
  { prlimit }: Numbers,
  { processes, openFiles, fileBytes, addressSpaceBytes }: ProcessLimits,
): string => {
  const limits = { 1: fileBytes, 4: 0, 6: processes, 7: openFiles, 9: addressSpaceBytes ?? null };
  return Object.entries(limits)
    .filter(([, value]) => value !== null)
    .map(
      ([number, value]) => `
my $limit${number} = pack("QQ", ${value}, ${value});
die "prlimit: $!\\n" if syscall(${prlimit}, 0, ${number}, $limit${number}, 0) != 0;
`,
    )
    .join("");
};

const installFilter = ({ seccomp }: Numbers, filter: Buffer) => `
my $filter = pack("H*", "${filter.toString("hex")}");
my $program = pack("S x6 P", length($filter) / 8, $filter);
die "seccomp: $!\\n" if syscall(${seccomp}, 1, 0, $program) != 0;
`;

const becomeProgram = `
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`;

const commandOf = (perl: string, ...steps: readonly string[]): readonly string[] => [
  perl,
  "-e",
  `${steps.join("")}${becomeProgram}`,
  "--",
];

/**
 * Returns the arguments before the command line of a program below bubblewrap. The caller needs no_new_privs or
 * CAP_SYS_ADMIN. The limits are set where the processor is known.
 */
export const confined = (
  { perl, scopes, filter }: Confinement,
  limits: ProcessLimits | null,
): readonly string[] => {
  const known = numbers[process.arch];
  const refusing = refusingFilter(process.arch);
  return commandOf(
    perl,
    becomeVictim,
    known === undefined ? "" : joinKeyring(known) + discardRights(known),
    scopes ? enterDomain : "",
    filter && known !== undefined && refusing !== null ? installFilter(known, refusing) : "",
    limits === null || known === undefined ? "" : setLimits(known, limits),
  );
};

/** Begins the names of variables that are put aside, because what starts the program would load code by them. */
export const asidePrefix = "BOARDROOM_ASIDE_";

/** Names the variables back that `detached` has put aside. */
const nameBack = `
for my $name (grep { /^${asidePrefix}/ } keys %ENV) {
  $ENV{substr($name, ${asidePrefix.length})} = delete $ENV{$name};
}
`;

/** null: it cannot be left, because Perl is missing or the processor's numbers are not known. */
export const detached = (perl: string | null): Detach | null => {
  const known = numbers[process.arch];
  if (perl === null || known === undefined) return null;
  const [command = "", ...args] = commandOf(
    perl,
    nameBack,
    becomeVictim,
    joinKeyring(known),
    discardRights(known),
  );
  return (program) => ({
    command,
    args: [...args, program.command, ...program.args],
    env: Object.fromEntries(
      Object.entries(program.env).map(([name, value]) => [
        name !== "PATH" && isLoaderVariable(name) ? `${asidePrefix}${name}` : name,
        value,
      ]),
    ),
  });
};
